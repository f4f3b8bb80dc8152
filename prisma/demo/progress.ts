import { DEMO_WORKSPACE_ID } from '../../src/auth/demo.ts';
import type { Transaction } from '../../src/database/client.ts';
import type { DemoState } from '../../src/database/generated/prisma/client.ts';

type Database = Pick<Transaction, 'workspace' | 'demoProgress'>;

/** How far the demo workspace is made: `complete` also says that its users own it, whatever it is called. */
export async function readProgress(database: Database): Promise<DemoState | 'missing' | 'complete'> {
  const found = await database.workspace.findUnique({ where: { id: DEMO_WORKSPACE_ID }, select: { id: true } });
  if (!found) return 'missing';
  // Read after the workspace, which is stored together with its state or after it.
  const row = await database.demoProgress.findFirst();
  return row?.state ?? 'complete';
}

/** Records how far it is made; null: it is complete. */
export async function recordProgress(database: Database, state: DemoState | null): Promise<void> {
  await database.demoProgress.deleteMany();
  if (state) await database.demoProgress.create({ data: { state } });
}
