import type { SqlDriverAdapter, SqlQuery, SqlQueryable, Transaction } from '@prisma/driver-adapter-utils';
import { currentSpan } from '../../core/tracing.ts';
import { actorSetting, writesAudited, writesOnBehalf } from '../audit/rules.ts';
import { currentActor } from '../deadline.ts';
import { retryDeadlocks } from '../deadlock.ts';
import { traceSetting, writesEvents } from './event-tables.ts';

/** What the database finds in a setting of the transaction when a statement needs it. Null: nothing to say. */
export type Setting = { name: string; isNeededBy(sql: string): boolean; value(): string | null };

const settings: Setting[] = [
  {
    name: actorSetting,
    isNeededBy: writesAudited,
    value() {
      const actor = currentActor();
      return actor && JSON.stringify(actor);
    },
  },
  {
    name: actorSetting,
    isNeededBy: writesOnBehalf,
    value() {
      const actor = currentActor();
      return actor?.onBehalfOfId ? JSON.stringify(actor) : null;
    },
  },
  { name: traceSetting, isNeededBy: writesEvents, value: () => currentSpan()?.traceparent ?? null },
];

/** What a statement may need. */
export const settingsOf = (sql: string): Setting[] => settings.filter((setting) => setting.isNeededBy(sql));

/**
 * Makes a transaction name its actor before its first statement that the audit log may record, and its span before the
 * first that may be an event. All other statements are sent as they are. `isDistributed`: triggers run on other nodes.
 */
export function withSettings(transaction: Transaction, isDistributed: boolean): Transaction {
  const named = new Set<Setting>();
  return around(transaction, async (run, { sql }) => {
    // What was set after a savepoint is undone with it.
    if (sql.startsWith('ROLLBACK TO')) named.clear();
    for (const setting of settings) {
      const value = named.has(setting) || !setting.isNeededBy(sql) ? null : setting.value();
      if (value === null) continue;
      const assignments = isDistributed ? propagating(setting.name, value) : [assigning(setting.name, value)];
      for (const assignment of assignments) await transaction.executeRaw(assignment);
      named.add(setting);
    }
    return run();
  });
}

/** Runs single statements that need a setting in a transaction that has it. */
export function withSettingsOfStatements<Adapter extends SqlDriverAdapter>(adapter: Adapter): Adapter {
  const needsSettings = (sql: string) => settingsOf(sql).some((setting) => setting.value() !== null);
  return around(adapter, (run, query, method) =>
    needsSettings(query.sql) ? retryDeadlocks(() => inOwn(adapter, query, method)) : run(),
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
const assigning = (name: string, value: string): SqlQuery => ({
  sql: `SELECT set_config('${name}', $1, true)`,
  args: [value],
  argTypes: [{ scalarType: 'string', arity: 'scalar' }],
});

/** As commands of their own, which the coordinator of a cluster sends on to the nodes of the transaction. */
const propagating = (name: string, value: string): SqlQuery[] => [
  plain("SET LOCAL citus.propagate_set_commands = 'local'"),
  plain(`SET LOCAL ${name} = '${value.replaceAll("'", "''")}'`),
];
