import { DEMO_WORKSPACE_ID } from '../../src/auth/demo.ts';
import type { Transaction } from '../../src/database/client.ts';
import type { DemoState } from '../../src/database/generated/prisma/client.ts';
import type { Pool } from '../../src/database/pool.ts';

/**
 * How far the demo workspace is made: `complete` also says that its users own it, whatever it is called. Every start
 * asks before it serves: Prisma would have to be loaded first.
 */
export async function readProgress(pool: Pool): Promise<DemoState | 'missing' | 'complete'> {
  const { rows } = await pool.query<{ state: DemoState | null }>(
    'SELECT (SELECT "state" FROM "DemoProgress" LIMIT 1) AS "state" FROM "Workspace" WHERE "id" = $1',
    [DEMO_WORKSPACE_ID],
  );
  return rows[0] ? (rows[0].state ?? 'complete') : 'missing';
}

/** Records how far it is made; null: it is complete. */
export async function recordProgress(
  database: Pick<Transaction, 'demoProgress'>,
  state: DemoState | null,
): Promise<void> {
  await database.demoProgress.deleteMany();
  if (state) await database.demoProgress.create({ data: { state } });
}
