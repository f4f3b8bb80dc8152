import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newPlace, type Place, removePlaces, runCommand } from '../support/database/backups.ts';
import { onServer } from '../support/database/database.ts';
import { type GatewayProcess, startGateway } from '../support/gateway/gateway-process.ts';

const { kind } = inject('template');
const isServer = kind === 'postgres';

/** The processes that the database of a place knows. */
async function known({ databaseUrl }: Place): Promise<{ host: string; pid: number }[]> {
  const select = 'SELECT "host", "pid" FROM "Gateway" ORDER BY "pid"';
  return onServer(databaseUrl ?? '', async (client) => (await client.query(select)).rows);
}

/** As if so much time had passed for the database. */
const age = ({ databaseUrl }: Place, seconds: number) =>
  onServer(databaseUrl ?? '', (client) =>
    client.query('UPDATE "Gateway" SET "seenAt" = "seenAt" - make_interval(secs => $1)', [seconds]),
  );

/** A place whose connections do not have the name that the gateway gives them. */
async function hiddenPlace(demo: boolean): Promise<Place> {
  const place = await newPlace(kind);
  const url = new URL(place.databaseUrl ?? '');
  url.searchParams.set('application_name', 'acme');
  return { ...place, env: { ...place.env, DATABASE_URL: url.href, DEMO: String(demo) } };
}

const isNamed = ({ child }: GatewayProcess) =>
  expect.stringMatching(
    new RegExp(
      `^error: Gateways serve this database: ${hostname()}, process ${child.pid} \\(version \\d+\\.\\d+\\.\\d+, last seen [\\d: -]+ UTC\\)\\. Stop all of them first`,
      'm',
    ),
  );

afterAll(removePlaces);

describe.skipIf(!isServer)('a gateway on a server, whatever its connections are called,', () => {
  let place: Place;
  let target: Place;
  let gateway: GatewayProcess;
  const move = () => runCommand('move', place, '--to', target.dataDir);

  beforeAll(async () => {
    place = await hiddenPlace(true);
    target = await newPlace('embedded');
    gateway = await startGateway(place.env);
  }, 300_000);
  afterAll(() => gateway.kill());

  test('is known while it serves: a move refuses, and names it', async () => {
    expect(await known(place)).toEqual([{ host: hostname(), pid: gateway.child.pid }]);
    expect(await move()).toMatchObject({ code: 1, stderr: isNamed(gateway) });
  }, 300_000);

  test('renews what is known of it, also after a crash of the server has emptied the table', async () => {
    await onServer(place.databaseUrl ?? '', (client) => client.query('TRUNCATE "Gateway"'));
    await expect.poll(() => known(place), { timeout: 60_000 }).toHaveLength(1);
  }, 300_000);

  test('is forgotten at once when it stops', async () => {
    await gateway.kill('SIGTERM');
    expect(await known(place)).toEqual([]);
  }, 300_000);

  test('counts for a while after it was killed, and then no more', async () => {
    gateway = await startGateway(place.env);
    await gateway.kill('SIGKILL');
    expect(await move()).toMatchObject({ code: 1, stderr: isNamed(gateway) });
    await age(place, 31);
    expect(await move()).toMatchObject({ code: 0 });
  }, 300_000);
});

test.skipIf(!isServer)(
  'nothing is restored into the database of a gateway that serves, empty as it is',
  async () => {
    const source = await newPlace('embedded');
    const backup = `${source.dataDir}/backup`;
    await (await startGateway(source.env)).kill('SIGTERM');
    expect(await runCommand('backup', source, '--to', backup)).toMatchObject({ code: 0 });
    const place = await hiddenPlace(false);
    const gateway = await startGateway(place.env);
    const refused = await runCommand('restore', place, '--from', backup);
    expect(refused).toMatchObject({ code: 1, stderr: isNamed(gateway) });
    expect((await fetch(`${gateway.url}/ready`)).status).toBe(200);
    await gateway.kill('SIGTERM');
  },
  300_000,
);
