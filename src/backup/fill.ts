import {
  firstWithRows,
  readApplied,
  readSequences,
  readTables,
  type Sequence,
  type Table,
} from '../database/copy/catalog.ts';
import { announceLoad, beginLoad, endLoad, loadTable, readLoadState, sealLoad } from '../database/copy/load.ts';
import { readTable } from '../database/copy/read.ts';
import { type Content, contentOf, isSame } from '../database/copy/row-hash.ts';
import { type CopyDatabase, type CopySession, inTransaction } from '../database/copy/session.ts';
import { migrate } from '../database/migrate.ts';
import { readMigrations, readUpgrades } from '../database/migrations.ts';
import { requireNoGateways } from '../database/serving/presence.ts';
import { snapshotMode } from './write.ts';

type SourceTable = Table & {
  /** What it must contain; null if only reading it shows that. */
  expected: Content | null;
  /** The rows in COPY text format. */
  read(): AsyncIterable<Buffer>;
};

/** What a database is filled from. */
type Source = {
  /** The same in each attempt, and different for anything else. */
  id: string;
  migrations: { name: string; checksum: string }[];
  tables: SourceTable[];
  sequences: Sequence[];
};

type FillOptions = { target: CopyDatabase; source: Source; onStep: (text: string) => void };

/**
 * Fills an empty database, and verifies it by reading every table back. After an interruption, a second call with the
 * same source continues with the tables that are missing. Gateways refuse the database until `openFilled`. Throws if
 * the database has data, or if a table differs from its source. Returns what each table contains.
 */
export async function fill({ target, source, onStep }: FillOptions): Promise<Content[]> {
  const migrations = migrationsOf(source);
  await target.session(async (session) => {
    const isBegun = await requireFillable(session, source);
    if (!isBegun) await announceLoad(session, source.id);
  });
  await migrate(await target.handle(), { migrations, onStep: () => onStep('Creating the tables') });
  return target.session(async (session) => {
    requireTables(await readTables(session), source.tables);
    requireSequences(await readSequences(session), source.sequences);
    await beginLoad(session, source.tables);
    const loaded = (await readLoadState(session))?.loaded ?? new Map<string, Content>();
    for (const table of source.tables) {
      const before = loaded.get(table.name);
      if (before && isSame(before, table.expected ?? (await contentOf(table.read())))) continue;
      onStep(`Copying ${table.name}`);
      const verify = (content: Content) => {
        if (table.expected && !isSame(content, table.expected)) throw damaged(table.name, content, table.expected);
      };
      loaded.set(table.name, await loadTable(session, table, table.read(), verify));
    }
    onStep('Verifying the tables');
    await inTransaction(session, snapshotMode, async () => {
      for (const table of source.tables) {
        const [expected, stored] = [loaded.get(table.name), await contentOf(readTable(session, table))];
        if (!expected || !isSame(expected, stored)) throw damaged(table.name, stored, expected);
      }
    });
    onStep('Restoring references');
    await sealLoad(session, source.tables, source.sequences);
    return [...loaded.values()];
  });
}

/** Opens a filled database to gateways, and applies the migrations that its source lacked. */
export async function openFilled(target: CopyDatabase): Promise<void> {
  await target.session(endLoad);
  await migrate(await target.handle());
  // A server would do it later by itself; until then, queries of large tables would be slow.
  await target.session((session) => session.query('ANALYZE'));
}

/** Returns whether an earlier attempt has begun. Throws if the database has data of its own, or of another source. */
async function requireFillable(session: CopySession, { id, migrations }: Source): Promise<boolean> {
  const state = await readLoadState(session);
  if (state?.source === id) return true;
  if (state) throw new Error('The database is being filled from something else: use an empty database.');
  await requireNoGateways(session);
  const table = await firstWithRows(session, await readTables(session));
  if (table) throw new Error(`The database has data (in "${table}"), which is not overwritten: use an empty database.`);
  const known = new Set(migrations.map(({ name }) => name));
  const newer = (await readApplied(session)).find(({ name }) => !known.has(name));
  if (newer)
    throw new Error(`The database has the migration ${newer.name}, which the data lacks: use an empty database.`);
  return false;
}

/** The source's migrations, as this version has them. */
function migrationsOf({ migrations }: Source) {
  const own = new Map([...readUpgrades(), ...readMigrations()].map((migration) => [migration.name, migration]));
  return migrations.map(({ name, checksum }) => {
    const migration = own.get(name);
    if (migration?.checksum === checksum) return migration;
    throw new Error(
      `The data has the migration ${name}, which this version ${migration ? 'has with another content' : 'lacks'}: use the version that the data is from, or a newer one.`,
    );
  });
}

function requireTables(found: Table[], needed: Table[]): void {
  const columns = new Map(found.map((table) => [table.name, new Set(table.columns)]));
  for (const table of needed) {
    const lacking = table.columns.find((column) => !columns.get(table.name)?.has(column));
    if (lacking) throw new Error(`The data has "${table.name}"."${lacking}", which the migrations do not create.`);
  }
  const names = new Set(needed.map(({ name }) => name));
  const extra = found.find(({ name }) => !names.has(name));
  if (extra) throw new Error(`The data lacks the table "${extra.name}", which the migrations create.`);
}

/** One that is left out would begin anew, with numbers that rows have already. */
function requireSequences(found: Sequence[], given: Sequence[]): void {
  const names = new Set(given.map(({ name }) => name));
  const missing = found.find(({ name }) => !names.has(name));
  if (missing) throw new Error(`The data lacks the sequence "${missing.name}", which the migrations create.`);
}

const damaged = (name: string, found: Content, expected: Content | undefined) =>
  new Error(
    `"${name}" has ${found.rows} rows, not the ${expected?.rows ?? 0} expected ones, or their content differs.`,
  );
