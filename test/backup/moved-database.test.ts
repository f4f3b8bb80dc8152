import { beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { lockServer, markServer } from '../../src/backup/move.ts';
import { columnsOf, readTables, type Table } from '../../src/database/copy/catalog.ts';
import { type CopySession, inTransaction } from '../../src/database/copy/session.ts';
import { requireUsable } from '../../src/database/copy/usable.ts';
import { movedState } from '../../src/database/errors.ts';
import { databaseUnready } from '../../src/database/readiness.ts';
import { unreadyReasons } from '../../src/database/serving/reasons.ts';
import { quoted } from '../../src/database/sql.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { isCluster } from '../support/database/cluster.ts';
import { testDatabase } from '../support/database/database.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

/** Its database is moved beneath it, as if the move had not found it: no connection is named `parley`. */
const gateway = useGateway({}, testDatabase);
let home: TestWorkspace;
let tables: Table[];

const onSession = async <T>(work: (session: CopySession) => Promise<T>): Promise<T> => {
  const client = await gateway.handle.pool.connect();
  try {
    return await work({ query: (text: string, values?: unknown[]) => client.query(text, values) } as CopySession);
  } finally {
    client.release();
  }
};

beforeAll(async () => {
  home = await makeWorkspace(gateway);
  await gateway.bearer(home.owner);
  tables = await onSession(readTables);
  await onSession((session) =>
    inTransaction(session, 'ISOLATION LEVEL REPEATABLE READ', async () => {
      await session.query("SELECT set_config('application_name', 'acme', false)");
      await lockServer(
        session,
        tables.map(({ name }) => name),
      );
      await markServer(session, 'postgres://elsewhere/parley');
    }),
  );
});

describe('a PostgreSQL database whose data was moved', () => {
  test('refuses every kind of write to every table that was copied', async () => {
    expect(tables.length).toBeGreaterThan(50);
    // A cluster asks no node for no rows.
    const none = isCluster ? '' : 'WHERE false';
    for (const table of tables) {
      const [name, columns, column] = [quoted(table.name), columnsOf(table), quoted(table.columns[0] as string)];
      for (const write of [
        `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${name} ${none}`,
        `UPDATE ${name} SET ${column} = ${column} ${none}`,
        `DELETE FROM ${name} ${none}`,
        `TRUNCATE ${name} CASCADE`,
      ]) {
        await expect(gateway.handle.pool.query(write), write).rejects.toMatchObject({ code: movedState });
      }
    }
  });

  test.each(['compiled', 'resolvers'] as const)(
    'answers a gateway’s reads, and its writes with 503 (%s)',
    async (by) => {
      const bothWays = new BothWays(gateway);
      const ask = async (query: string) => {
        const { status, body } = await bothWays.askOne(by, home.owner, { query });
        return { status, ...JSON.parse(body) };
      };
      expect(await ask('{ leads { totalCount } }')).toEqual({ status: 200, data: { leads: { totalCount: 0 } } });
      for (const write of [
        'mutation { createLead(input: { name: "Ana" }) { lead { id } } }',
        'mutation { createAgent(input: { name: "Ana" }) { agent { id } } }',
      ]) {
        expectFailure(await ask(write), 'unavailable', /was moved/);
      }
    },
  );

  test('is not ready, and says why', async () => {
    const app = createApp(gateway.services, () => databaseUnready(gateway.handle));
    const response = await app.request('/ready');
    expect([response.status, await response.json()]).toEqual([
      503,
      { code: 'unavailable', message: `The service is not ready. ${unreadyReasons.moved}` },
    ]);
  });

  test('answers a legacy write with 503', async () => {
    const answer = await gateway.rest(home.owner, 'POST', '/rest/leads', { name: 'Ana' });
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });

  test('is written to again after the statements that the refused start names', async () => {
    const refused = await requireUsable(gateway.handle.pool).catch((error: Error) => error.message);
    const [, statements] = /run: (.+)$/.exec(String(refused)) ?? [];
    await gateway.handle.pool.query(statements ?? '');
    expect(
      (await gateway.data(home.owner, 'mutation { createLead(input: { name: "Ana" }) { lead { name } } }')).createLead,
    ).toEqual({ lead: { name: 'Ana' } });
    await requireUsable(gateway.handle.pool);
    expect(await databaseUnready(gateway.handle)).toBeNull();
  });
});
