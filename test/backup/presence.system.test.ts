import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openForCopy } from '../../src/database/copy/session.ts';
import { newPlace, type Place, removePlaces, runCommand } from '../support/database/backups.ts';
import { onServer } from '../support/database/database.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/database/pgbouncer.ts';
import { type GatewayProcess, ownerToken, startGateway } from '../support/gateway/gateway-process.ts';

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

describe.skipIf(!isServer || !hasPgBouncer)('beside gateways that write, one of them behind a pooler,', () => {
  let place: Place;
  let target: Place;
  let pooler: PgBouncer;
  let gateways: GatewayProcess[];
  let writing = true;
  let writers: Promise<void>[];
  const written: string[] = [];
  const refused: number[] = [];
  const move = (env = place.env) => runCommand('move', { env }, '--to', target.dataDir);

  /** Creates leads one after the other, and records the answers. */
  async function write({ url }: GatewayProcess, token: string, writer: string) {
    for (let number = 0; writing; number++) {
      const name = `${writer}-${number}`;
      const query = `mutation { createLead(input: { name: "${name}" }) { lead { id } } }`;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
      const { data } = (await response.json()) as { data?: { createLead: { lead: unknown } | null } };
      if (data?.createLead?.lead) written.push(name);
      else refused.push(response.status);
    }
  }

  beforeAll(async () => {
    place = await hiddenPlace(true);
    target = await newPlace('embedded');
    pooler = await startPgBouncer(place.databaseUrl ?? '');
    const pooled = pooler.to(new URL(place.databaseUrl ?? '').pathname.slice(1));
    const first = await startGateway(place.env);
    gateways = [first, await startGateway({ ...place.env, DATABASE_URL: pooled })];
    const token = await ownerToken(place.env);
    writers = gateways.flatMap((gateway, index) => [0, 1].map((one) => write(gateway, token, `${index}-${one}`)));
  }, 300_000);
  afterAll(async () => {
    writing = false;
    await Promise.all(gateways.map((gateway) => gateway.kill()));
    await pooler.close();
  });

  test('a move refuses, and names both', async () => {
    const { code, stderr } = await move();
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Gateways serve this database'),
    });
    for (const { child } of gateways) expect(stderr).toContain(`process ${child.pid} (`);
    expect(refused).toEqual([]);
  }, 300_000);

  test('a move that does not find them loses no write that was acknowledged: they can write no more', async () => {
    // As if nothing that they say of themselves arrived.
    await onServer(place.databaseUrl ?? '', (client) =>
      client.query(`CREATE FUNCTION unseen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          NEW."seenAt" := NEW."seenAt" - interval '1 minute'; RETURN NEW; END $$;
        CREATE TRIGGER unseen BEFORE INSERT OR UPDATE ON "Gateway" FOR EACH ROW EXECUTE FUNCTION unseen();
        UPDATE "Gateway" SET "seenAt" = "seenAt"`),
    );
    const before = written.length;
    await expect.poll(() => written.length, { timeout: 60_000 }).toBeGreaterThan(before);
    expect(await move()).toMatchObject({ code: 0 });
    const after = refused.length;
    await expect.poll(() => refused.length, { timeout: 60_000 }).toBeGreaterThan(after + 10);
    writing = false;
    await Promise.all(writers);
    const database = await openForCopy({ databaseUrl: null, dataDir: target.dataDir });
    const names = await database.session(async (session) =>
      (await session.query<{ name: string }>('SELECT "name" FROM "Lead"')).rows.map(({ name }) => name),
    );
    await database.close();
    expect(written.length).toBeGreaterThan(10);
    expect(written.filter((name) => !names.includes(name))).toEqual([]);
    expect(new Set(refused)).toEqual(new Set([503]));
  }, 300_000);
});

describe.skipIf(!isServer)('the database of a gateway that serves, empty as it is,', () => {
  let backup: string;
  beforeAll(async () => {
    const source = await newPlace('embedded');
    backup = `${source.dataDir}/backup`;
    await (await startGateway(source.env)).kill('SIGTERM');
    const { code, stderr } = await runCommand('backup', source, '--to', backup);
    if (code !== 0) throw new Error(stderr);
  }, 300_000);

  /** The gateway is on `served`, and the restore is asked for by each of `asked`. */
  async function expectRefused(place: Place, served: string, asked: string[]) {
    const gateway = await startGateway({ ...place.env, DATABASE_URL: served });
    try {
      for (const DATABASE_URL of asked) {
        const refused = await runCommand('restore', { env: { ...place.env, DATABASE_URL } }, '--from', backup);
        expect(refused).toMatchObject({ code: 1, stderr: isNamed(gateway) });
      }
      expect((await fetch(`${gateway.url}/ready`)).status).toBe(200);
    } finally {
      await gateway.kill('SIGTERM');
    }
  }

  test('gets nothing restored into it', async () => {
    const place = await hiddenPlace(false);
    const url = place.env.DATABASE_URL ?? '';
    await expectRefused(place, url, [url]);
  }, 300_000);

  test.skipIf(!hasPgBouncer)(
    'gets nothing restored into it behind a pooler, whichever way the restore takes',
    async () => {
      const place = await hiddenPlace(false);
      const pooler = await startPgBouncer(place.databaseUrl ?? '');
      try {
        const pooled = pooler.to(new URL(place.databaseUrl ?? '').pathname.slice(1));
        await expectRefused(place, pooled, [place.env.DATABASE_URL ?? '', pooled]);
      } finally {
        await pooler.close();
      }
    },
    300_000,
  );
});
