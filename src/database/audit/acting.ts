import type { SqlDriverAdapter, SqlQuery, SqlQueryable, Transaction } from '@prisma/driver-adapter-utils';
import { currentActor } from '../deadline.ts';
import { retryDeadlocks } from '../deadlock.ts';
import { actorSetting, writesAudited } from './rules.ts';

/**
 * Makes a transaction name its actor before its first statement that the audit log may record. All other statements
 * are sent as they are.
 */
export function namingActor(transaction: Transaction): Transaction {
  let named = false;
  return around(transaction, async (run, { sql }) => {
    // The name is undone with the savepoint that it was set after.
    if (sql.startsWith('ROLLBACK TO')) named = false;
    const actor = !named && writesAudited(sql) && currentActor();
    if (actor) {
      await transaction.executeRaw(naming(JSON.stringify(actor)));
      named = true;
    }
    return run();
  });
}

/** Runs single statements that the audit log may record in a transaction that names the actor. */
export function namingActors<Adapter extends SqlDriverAdapter>(adapter: Adapter): Adapter {
  return around(adapter, (run, query, method) =>
    writesAudited(query.sql) && currentActor() ? retryDeadlocks(() => inOwn(adapter, query, method)) : run(),
  );
}

async function inOwn(adapter: SqlDriverAdapter, query: SqlQuery, method: Method): Promise<never> {
  const transaction = await adapter.startTransaction();
  try {
    const result = await transaction[method](query);
    await transaction.executeRaw(plain('COMMIT'));
    await transaction.commit();
    return result as never;
  } catch (error) {
    // Report the original failure, not that a lost connection cannot roll back.
    await transaction.executeRaw(plain('ROLLBACK')).catch(() => {});
    await transaction.rollback();
    throw error;
  }
}

type Method = 'queryRaw' | 'executeRaw';
type Around = <T>(run: () => Promise<T>, query: SqlQuery, method: Method) => Promise<T>;

function around<Queryable extends SqlQueryable>(queryable: Queryable, wrap: Around): Queryable {
  const query = queryable.queryRaw.bind(queryable);
  const execute = queryable.executeRaw.bind(queryable);
  return Object.assign(queryable, {
    queryRaw: (statement: SqlQuery) => wrap(() => query(statement), statement, 'queryRaw'),
    executeRaw: (statement: SqlQuery) => wrap(() => execute(statement), statement, 'executeRaw'),
  });
}

const plain = (sql: string): SqlQuery => ({ sql, args: [], argTypes: [] });
const naming = (actor: string): SqlQuery => ({
  sql: `SELECT set_config('${actorSetting}', $1, true)`,
  args: [actor],
  argTypes: [{ scalarType: 'string', arity: 'scalar' }],
});
