import { PrismaPg } from '@prisma/adapter-pg';
import type { ConnectionInfo, SqlDriverAdapter, Transaction } from '@prisma/driver-adapter-utils';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import type pg from 'pg';

export type RelationLoad = 'join' | 'query';

type Guts = { client: pg.Pool | pg.PoolClient; onError(error: unknown): never };

/**
 * Prisma's adapter for node-postgres with three repairs: a script reaches the database whole (the original cuts it at
 * every semicolon, those of functions and texts included), a COMMIT that PostgreSQL turned into a rollback is an error
 * (the original reports success), and the way related rows are loaded is a setting.
 */
export class Adapter extends PrismaPg {
  readonly #pool: pg.Pool;
  readonly #relationLoad: RelationLoad;

  constructor(pool: pg.Pool, relationLoad: RelationLoad = 'join') {
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
      startTransaction: async (level) => withCheckedCommit(await start(level)),
      getConnectionInfo: () => connectionInfo,
    };
    return Object.assign(adapter, repairs);
  }
}

/** The key of the lock that Prisma's tools take while they migrate. */
export const migrationLock = 72_707_369;

/**
 * The same for the schema engine. It asks for the lock of a session, which a pooler would leave with whichever connection
 * took it: who migrates holds the lock of a transaction already. Its scripts may take longer than the role's statements may.
 */
export class MigratingAdapter extends Adapter {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    const execute = adapter.executeRaw.bind(adapter);
    const run = adapter.executeScript.bind(adapter);
    adapter.executeRaw = async (query) =>
      query.sql === `SELECT pg_advisory_lock(${migrationLock})` ? 0 : execute(query);
    // Sent as one, the whole is one transaction.
    adapter.executeScript = (script) => run(`SET LOCAL statement_timeout = 0;\n${script}`);
    return adapter;
  }
}

async function runScript(pool: pg.Pool, adapter: object, script: string): Promise<void> {
  try {
    await pool.query(script);
  } catch (error) {
    (adapter as Guts).onError(error);
  }
}

/** PostgreSQL answers COMMIT of a failed transaction with the tag ROLLBACK and no error. */
function withCheckedCommit(transaction: Transaction): Transaction {
  const guts = transaction as unknown as Guts;
  const execute = transaction.executeRaw.bind(transaction);
  transaction.executeRaw = async (query) => {
    if (query.sql !== 'COMMIT') return execute(query);
    const { command } = await guts.client.query('COMMIT').catch((error: unknown) => guts.onError(error));
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
