import { readApplied, readSequences, readTables } from '../database/copy/catalog.ts';
import { readTable } from '../database/copy/read.ts';
import { type CopyDatabase, type CopySession, inTransaction } from '../database/copy/session.ts';
import { presenceTables } from '../database/serving/presence.ts';
import type { Storage } from '../storage/types.ts';
import { moveFiles, readFileRows } from './files.ts';
import { fill } from './fill.ts';

type MoveOptions = {
  /** Identifies the source: a move that was interrupted must not be completed from another database. */
  id: string;
  source: CopyDatabase;
  target: CopyDatabase;
  from: Storage;
  /** Null: the files stay where they are, and are checked there. */
  to: Storage | null;
  onStep: (text: string) => void;
  /** Begins the transaction that reads the source: keeps others from writing to these tables until it ends. */
  lock: (session: CopySession, tables: string[]) => Promise<void>;
  /** Marks the source as moved, within that transaction, once the target has everything. */
  mark: (session: CopySession) => Promise<void>;
};

export type Moved = { tables: number; rows: number; files: number; missing: string[] };

/**
 * Copies everything to another, empty database, which stays closed to gateways, and marks the source as moved. Until
 * then, the source is as it was. After an interruption, call it again: tables that have not changed since are not
 * copied again.
 */
export function moveData({ id, source, target, from, to, onStep, lock, mark }: MoveOptions): Promise<Moved> {
  return source.session(async (session) => {
    // Read before the transaction: its snapshot must begin after the locks.
    const names = [...(await readTables(session)).map(({ name }) => name), ...(await presenceTables(session))];
    return inTransaction(session, 'ISOLATION LEVEL REPEATABLE READ', async () => {
      await lock(session, names);
      const migrations = await readApplied(session);
      if (migrations.length === 0) throw new Error('The database is empty: there is nothing to move.');
      const found = await readTables(session);
      const tables = found.map((table) => ({ ...table, expected: null, read: () => readTable(session, table) }));
      const sequences = await readSequences(session);
      const contents = await fill({ target, source: { id, migrations, tables, sequences }, onStep });
      onStep(to ? 'Copying the files of attachments' : 'Checking the files of attachments');
      const files = await readFileRows(session);
      const missing = await moveFiles(from, files, to);
      await mark(session);
      const rows = contents.reduce((sum, content) => sum + content.rows, 0);
      return { tables: tables.length, rows, files: files.length, missing };
    });
  });
}
