import { PrismaPg } from '@prisma/adapter-pg';
import {
  type ConnectionInfo,
  DriverAdapterError,
  type SqlDriverAdapter,
  type Transaction,
} from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import { withSettings, withSettingsOfStatements } from './settings/transaction-settings.ts';
import { withWorkspaceInJoins } from './workspace-of-joins.ts';

export type RelationLoad = 'join' | 'query';

type AdapterInternals = { client: pg.Pool | pg.PoolClient; onError(error: unknown): never };

/**
 * Prisma's adapter for node-postgres with four fixes: a script is sent as one query (the original splits it at every
 * semicolon, even inside functions and string literals), a COMMIT that PostgreSQL turned into a rollback throws (the
 * original reports success), joins name the workspace, and how relations are loaded is configurable.
 */
export class Adapter extends PrismaPg {
  readonly #pool: pg.Pool & { isDistributed?: boolean };
  readonly #relationLoad: RelationLoad;

  constructor(pool: pg.Pool & { isDistributed?: boolean }, relationLoad: RelationLoad = 'join') {
    super(pool);
    this.#pool = pool;
    this.#relationLoad = relationLoad;
  }

  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    const start = adapter.startTransaction.bind(adapter);
    const connectionInfo: ConnectionInfo = {
      ...adapter.getConnectionInfo(),
      supportsRelationJoins: this.#relationLoad === 'join',
    };
    const repairs: Pick<SqlDriverAdapter, 'executeScript' | 'startTransaction' | 'getConnectionInfo'> = {
      executeScript: (script) => runScript(this.#pool, adapter, script),
      startTransaction: async (level) =>
        withSettings(withWorkspaceInJoins(withCheckedCommit(await start(level))), this.#pool.isDistributed ?? false),
      getConnectionInfo: () => connectionInfo,
    };
    return withSettingsOfStatements(withWorkspaceInJoins(Object.assign(adapter, repairs)));
  }
}

/** The key of the advisory lock that Prisma's tools take while they migrate. */
export const migrationLock = 72_707_369;

/**
 * Waits until no migration script is running. A script outlives the process that sent it: the server runs it to its end
 * and may still commit it.
 */
export const waitForScripts = `SELECT pg_advisory_xact_lock(${migrationLock + 1})`;

/**
 * The adapter for the schema engine. The engine asks for a session-level lock, which behind a pooler would stay with
 * whichever connection took it; the caller already holds a transaction-level one, so the request is skipped. The engine
 * would also record that a script has finished in a separate transaction, which is lost if the process dies in between:
 * here the script records it in its own.
 */
export class MigratingAdapter extends Adapter {
  readonly #pool: pg.Pool;
  readonly #oneByOne: boolean;
  #record = '';

  /** `oneByOne`: a coordinator of Citus accepts most changes of distributed tables only as statements of their own. */
  constructor(pool: pg.Pool, { oneByOne }: { oneByOne: boolean }) {
    super(pool);
    this.#pool = pool;
    this.#oneByOne = oneByOne;
  }

  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    const execute = adapter.executeRaw.bind(adapter);
    const query = adapter.queryRaw.bind(adapter);
    const run = this.#oneByOne
      ? (script: string) => runOneByOne(this.#pool, adapter, script)
      : adapter.executeScript.bind(adapter);
    adapter.executeRaw = async (statement) =>
      statement.sql === `SELECT pg_advisory_lock(${migrationLock})` ? 0 : execute(statement);
    adapter.queryRaw = async (statement) => {
      if (statement.sql.startsWith('INSERT INTO "_prisma_migrations"')) this.#record = String(statement.args[0]);
      return query(statement);
    };
    adapter.executeScript = (script) => run(recorded(script, this.#record));
    return adapter;
  }
}

/**
 * The script with its own entry in `_prisma_migrations`. Sent as one query, it is one transaction, exempt from the
 * role's statement timeout. It fails if another process has meanwhile rolled back its record or applied the same
 * migration.
 */
function recorded(script: string, record: string): string {
  if (!/^[\w-]+$/.test(record)) throw new Error('The schema engine ran a script without a record of it.');
  return `SET LOCAL statement_timeout = 0;
    ${waitForScripts};
    DO $record$ BEGIN
      IF NOT EXISTS (
        SELECT 1 FROM _prisma_migrations mine WHERE mine.id = '${record}' AND mine.rolled_back_at IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM _prisma_migrations other WHERE other.migration_name = mine.migration_name
          AND other.finished_at IS NOT NULL AND other.rolled_back_at IS NULL
        )
      ) THEN RAISE EXCEPTION 'another process has taken this migration over'; END IF;
    END $record$;
    ${script}
    ;UPDATE _prisma_migrations SET finished_at = clock_timestamp() WHERE id = '${record}';`;
}

async function runScript(pool: pg.Pool, adapter: object, script: string): Promise<void> {
  try {
    await pool.query(script);
  } catch (error) {
    (adapter as AdapterInternals).onError(error);
  }
}

/** In one transaction, as a script that is sent as one query. */
async function runOneByOne(pool: pg.Pool, adapter: object, script: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    for (const statement of splitScript(script)) await client.query(statement);
    await client.query('COMMIT');
  } catch (error) {
    // What is left of the transaction is undone with its connection.
    client.release(true);
    return (adapter as AdapterInternals).onError(error);
  }
  client.release();
}

/** PostgreSQL responds to the COMMIT of a failed transaction with the command tag ROLLBACK and no error. */
function withCheckedCommit(transaction: Transaction): Transaction {
  const internals = transaction as unknown as AdapterInternals;
  const execute = transaction.executeRaw.bind(transaction);
  transaction.executeRaw = async (query) => {
    if (query.sql !== 'COMMIT') return execute(query);
    const { command } = await internals.client.query('COMMIT').catch((error: unknown) => internals.onError(error));
    if (command !== 'COMMIT') throw rolledBack();
    return 0;
  };
  return transaction;
}

const rolledBack = (): DriverAdapterError =>
  new DriverAdapterError({
    kind: 'postgres',
    code: '25P02',
    severity: 'ERROR',
    message: 'the transaction was rolled back, since a statement of it had failed',
    detail: undefined,
    column: undefined,
    hint: undefined,
  });

/**
 * Where a statement of a script may hold a semicolon that does not end it: comments, texts, names and bodies in
 * dollars.
 */
const pieces = /--[^\n]*|\/\*|\bE'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?:[A-Za-z_]\w*)?\$|;/gis;

/**
 * Splits a script of SQL into its statements, without the semicolons between them. Not for functions whose body is
 * written without quotes (`BEGIN ATOMIC`).
 */
export function splitScript(script: string): string[] {
  const statements: string[] = [];
  let first = 0;
  pieces.lastIndex = 0;
  for (let piece = pieces.exec(script); piece; piece = pieces.exec(script)) {
    const [text] = piece;
    if (text === ';') {
      statements.push(script.slice(first, piece.index));
      first = pieces.lastIndex;
    } else if (text === '/*') pieces.lastIndex = endOfComment(script, pieces.lastIndex);
    else if (text.startsWith('$')) pieces.lastIndex = endOf(script, text, pieces.lastIndex);
  }
  statements.push(script.slice(first));
  return statements.map((text) => text.trim()).filter((text) => withoutComments(text) !== '');
}

function endOf(script: string, mark: string, from: number): number {
  const at = script.indexOf(mark, from);
  return at < 0 ? script.length : at + mark.length;
}

/** Comments of this kind may hold others. */
function endOfComment(script: string, from: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  for (let depth = 1; depth > 0; ) {
    const found = mark.exec(script);
    if (!found) return script.length;
    depth += found[0] === '/*' ? 1 : -1;
  }
  return mark.lastIndex;
}

/** What begins a statement, after comments before it; '' if there is no statement. */
function withoutComments(text: string): string {
  let rest = text;
  while (rest.startsWith('--') || rest.startsWith('/*')) {
    rest = rest.startsWith('--') ? rest.replace(/^--[^\n]*/, '') : rest.slice(endOfComment(rest, 2));
    rest = rest.trimStart();
  }
  return rest;
}
