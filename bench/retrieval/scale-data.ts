import pg from 'pg';
import { type DatabaseHandle, openDatabase, transact } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { migrate } from '../../src/database/migrate.ts';
import { compactPostings, wantsCompaction } from '../../src/search/compaction.ts';
import { draftPassages, publishStaged, purgeStale } from '../../src/search/drafts.ts';
import { copyWorkspace } from './copies.ts';
import { passages, restart } from './texts.ts';

export type Size = { passages: number; workspaces: number; perSource: number };
export type Bases = { workspaceId: string; baseIds: string[] };

export const urlOf = (server: string, name: string) => Object.assign(new URL(server), { pathname: `/${name}` }).href;

/** Creates a database, or keeps an existing one that was made in the same way. Returns whether it is new. */
export async function makeDatabase(server: string, name: string, size: Size, from?: string): Promise<boolean> {
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  try {
    const mark = JSON.stringify(size);
    const marked = `SELECT FROM pg_database WHERE datname = $1 AND shobj_description(oid, 'pg_database') = $2`;
    if ((await admin.query(marked, [name, mark])).rowCount) return false;
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${name}${from ? ` TEMPLATE ${from}` : ''}`);
    const handle = await openDatabase({ databaseUrl: urlOf(server, name), dataDir: '' });
    try {
      if (from) {
        await copyWorkspace(handle, (await basesIn(handle)).workspaceId, 1, size.workspaces - 1);
      } else {
        await migrate(handle);
        await fill(handle, size);
      }
    } finally {
      await handle.close();
    }
    await admin.query(`COMMENT ON DATABASE ${name} IS '${mark}'`);
    return true;
  } finally {
    await admin.end();
  }
}

export async function dropDatabases(server: string, names: string[]): Promise<void> {
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  for (const name of names) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.end();
}

/** The first workspace, which is the one that was filled. */
export async function basesIn({ client }: DatabaseHandle): Promise<Bases> {
  const { id } = await client.workspace.findFirstOrThrow({ where: { name: 'Scale' }, orderBy: { id: 'asc' } });
  const bases = await client.base.findMany({ where: { workspaceId: id }, orderBy: { id: 'asc' } });
  return { workspaceId: id, baseIds: bases.map((base) => base.id) };
}

/** In milliseconds. `joined`: time of background compaction, when the passages can already be found. */
export type Filled = { indexed: number; joined: number };

/** Fills a new workspace of five bases the way sources are ingested. Returns how long that took. */
export async function fill(handle: DatabaseHandle, size: Pick<Size, 'passages' | 'perSource'>): Promise<Filled> {
  restart();
  const { client } = handle;
  const workspaceId = newId('workspace');
  await client.workspace.create({ data: { id: workspaceId, name: 'Scale' } });
  const baseIds = Array.from({ length: 5 }, () => newId('base'));
  await client.base.createMany({ data: baseIds.map((id) => ({ id, workspaceId, description: 'Scale' })) });
  const took: Filled = { indexed: 0, joined: 0 };
  for (let written = 0, n = 0; written < size.passages; written += size.perSource, n++) {
    const baseId = baseIds[n % 5] as string;
    const source = { workspaceId, baseId, id: newId('source') };
    await client.source.create({ data: { ...source, type: 'file', status: 'succeeded' } });
    const texts = passages(Math.min(size.perSource, size.passages - written));
    const start = performance.now();
    const draft = await draftPassages(client, source, texts);
    await transact(client, (tx) => publishStaged(tx, source, draft));
    await purgeStale(client, source, draft);
    took.indexed += performance.now() - start;
    const shown = performance.now();
    if (await wantsCompaction(client, source)) await compactPostings(client, source);
    took.joined += performance.now() - shown;
  }
  await handle.pool.query('VACUUM ANALYZE');
  return took;
}
