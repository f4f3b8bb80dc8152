import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { EmbeddedSync } from '../../src/database/pglite/embedded.ts';

const root = mkdtempSync(join(tmpdir(), 'parley-durability-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
let count = 0;
let template: Promise<string> | undefined;

/** A new folder with a migrated database and a workspace. */
export async function newFolder(): Promise<string> {
  template ??= makeTemplate();
  return copyOf(await template);
}

/** A copy of a folder in its present state, as a killed process would leave it. */
export function copyOf(folder: string): string {
  const copy = join(root, String(++count));
  cpSync(folder, copy, { recursive: true, filter: (file) => !file.endsWith('control.sock') });
  return copy;
}

export const open = (dataDir: string, embeddedSync: EmbeddedSync = 'second'): Promise<DatabaseHandle> =>
  openDatabase({ databaseUrl: null, dataDir, embeddedSync });

async function makeTemplate(): Promise<string> {
  const folder = join(root, 'template');
  const handle = await open(folder);
  await migrate(handle);
  await handle.client.workspace.create({ data: { id: 'wsp_bench', name: 'Bench' } });
  await handle.close();
  return folder;
}

/** SQL that inserts leads, numbered from `from`. */
export const makeLeads = (from: number, many: number): string => `
  INSERT INTO "Lead" (id, "workspaceId", "name", "email", "updatedAt")
  SELECT 'lead_' || n, 'wsp_bench', 'Lead ' || n, 'lead' || n || '@example.com', now() FROM generate_series(${from}, ${from + many - 1}) n`;

export const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
