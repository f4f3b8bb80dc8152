import { beforeAll, describe, expect, test } from 'vitest';
import { readProgress } from '../../prisma/demo/progress.ts';
import { splitScript } from '../../src/database/adapter.ts';
import { claimDeliveries } from '../../src/domain/webhooks/claims.ts';
import { schedules } from '../../src/jobs/schedule.ts';
import { compactPostings } from '../../src/search/compaction.ts';
import { indexMessages } from '../../src/search/messages/writer.ts';
import { reindexBase } from '../../src/search/reindexing.ts';
import { makeKey } from '../support/auth/keys.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { isCluster } from '../support/database/cluster.ts';
import { type RecordedStatement, statementsOf } from '../support/database/database.ts';
import { refusalsOf, tablesWithoutValue } from '../support/database/distributed-statements.ts';
import { tasksOf } from '../support/database/plans.ts';
import { referencesIn, tablesWithoutWorkspace, withoutTexts } from '../support/database/workspace-statements.ts';
import { useGateway } from '../support/gateway/app.ts';
import { documentOf, rootFields, roots } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { call, operations, requests } from '../support/rest/operations.ts';
import { variablesOf } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

/** Statements of requests that name no workspace, by design, and why. docs/scale.md describes them. */
const exceptions: [why: string, pattern: RegExp][] = [
  [
    'the directory has not the widget’s token or the OAuth state: an older gateway has written it, or nobody',
    /"(Channel|PluginGrant)" AS "t0".* WHERE \(?"t0"\."(publishableToken|ticketHash)" = /,
  ],
];

/** Statements of requests that name the workspace of a table only as the column of another, and why. */
const byColumn: [why: string, pattern: RegExp][] = [
  ['streams of several workspaces, which a gateway polls together', /FROM unnest\([^;]* JOIN "Turn" t ON /],
  ['one of several rows, each with its workspace', /WHERE \(\("t0"\."workspaceId" = \$\d+ AND .*\) OR \("t0"/],
];

const gateway = useGateway();
let bothWays: BothWays;
let shared: World;
beforeAll(async () => {
  bothWays = new BothWays(gateway);
  shared = await makeWorld(gateway);
});

const recorded = new Map<string, RecordedStatement>();
/** Runs `work` and expects every statement that reached the database meanwhile to name the workspace. */
async function expectWorkspaceIn(work: () => Promise<unknown>): Promise<void> {
  const { recorded: sent } = await statementsOf(work);
  // Those that are sent as one have no parameters.
  const single = sent.flatMap(({ text, values }) =>
    values.length > 0 ? [{ text, values }] : splitScript(text).map((one) => ({ text: one, values })),
  );
  const statements = single.map(({ text }) => text);
  const added = single.filter(({ text }) => !recorded.has(text));
  for (const statement of added) recorded.set(statement.text, statement);
  const strays = added.filter(({ text }) => {
    return tablesWithoutWorkspace(text).length > 0 && !exceptions.some(([, pattern]) => pattern.test(text));
  });
  expect(strays).toEqual([]);
  expect(scattered(statements)).toEqual([]);
  expect(refused(statements)).toEqual([]);
}

/** Statements that Citus sends to all shards, or refuses, since a table names its workspace by no value. */
const scattered = (statements: string[]) =>
  statements
    .filter((text) => ![...exceptions, ...byColumn].some(([, pattern]) => pattern.test(text)))
    .map((text) => ({ text, tables: tablesWithoutValue(text) }))
    .filter(({ tables }) => tables.length > 0);

/** Statements that Citus refuses, with its errors. */
const refused = (statements: string[]) =>
  statements.map((text) => ({ text, refusals: refusalsOf(text) })).filter(({ refusals }) => refusals.length > 0);

describe('every statement names the workspace, of', () => {
  const fields = roots
    .filter((root) => root !== 'Subscription')
    .flatMap((root) => rootFields(root).map((field) => [field.name, root, field] as const));

  test.each(oneOfEach(fields, ([name, root]) => (root === 'Query' ? name : verbOf(name))))(
    '%s, compiled and by the resolvers',
    async (_name, root, field) => {
      for (const by of ['compiled', 'resolvers'] as const) {
        const { owner, ids } = root === 'Query' ? shared : await makeWorld(gateway);
        const body = { query: documentOf(root, field), variables: variablesOf(field, ids) };
        await expectWorkspaceIn(() => bothWays.askOne(by, owner, body));
      }
    },
  );

  test.each(
    oneOfEach(
      operations.map((operation) => [operation.operationId, operation] as const),
      ([id]) => verbOf(id),
    ),
  )('REST %s', async (id, operation) => {
    const world = operation.method === 'GET' ? shared : await makeWorld(gateway);
    const request = requests[id];
    if (request) await expectWorkspaceIn(() => call(gateway, world.owner, operation, request(world.ids)));
  });

  test('a write with an Idempotency-Key, first, again and once it has expired, compiled and by the resolvers', async () => {
    const query = 'mutation { createLead(input: { name: "Ada" }) { lead { id } } }';
    for (const by of ['compiled', 'resolvers'] as const) {
      const { owner, id: workspaceId } = await makeWorld(gateway);
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
      const ask = () =>
        bothWays.send(by, owner, '/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
      const bodies: string[] = [];
      const askAlone = () => expectWorkspaceIn(async () => bodies.push((await ask()).body));
      await askAlone();
      await askAlone();
      await gateway.database.idempotency.updateMany({ where: { workspaceId }, data: { expiresAt: new Date(0) } });
      await askAlone();
      expect(bodies[1]).toBe(bodies[0]);
      expect(bodies[2]).not.toBe(bodies[0]);
    }
  });

  test('a turn with a key, as JSON and streamed, first, again and resumed', async () => {
    const { owner, ids } = await makeWorld(gateway);
    const body = JSON.stringify({ message: { content: 'My name is Ana, my email is ana@example.com' } });
    for (const accept of ['application/json', 'text/event-stream']) {
      const headers = { 'content-type': 'application/json', accept, 'idempotency-key': accept };
      const send = async (more: Record<string, string> = {}) => {
        const init = { method: 'POST', headers: { ...headers, ...more }, body };
        const { status, body: text } = await bothWays.send('compiled', owner, `/api/${ids.agentId}`, init);
        expect(status).toBe(200);
        return text;
      };
      let first = '';
      await expectWorkspaceIn(async () => void (first = await send()));
      await expectWorkspaceIn(async () => expect(await send()).toBe(first));
      const [, id] = /^id: (msg_\w+\.1)$/m.exec(first) ?? [];
      expect(id !== undefined).toBe(accept !== 'application/json');
      if (id) await expectWorkspaceIn(() => send({ 'last-event-id': id }));
    }
  });

  test('what every start asks of the demo workspace', async () => {
    await expectWorkspaceIn(() => readProgress(gateway.services.pool));
  });

  test('groups with all that they can have, compiled and by the resolvers', async () => {
    const filter = 'filter: { createdAt: { last: "1m" } }';
    const groups = (by: string, more: string) => `{ messages(first: 0, ${filter}) { groups(
      orderBy: { field: ratio, ratio: { of: sumCost }, direction: desc }
      having: { ratio: { of: count, ofFilter: { byPerson: false }, gte: 0 }, count: { gte: 0 } }
    ) { totalCount nodes { by { agent { name } ${by} } count ${more} previous { count } rows(first: 1) { nodes { id } } } other { p50 { cost } } } } }`;
    const queries = [
      groups('createdAt(every: week, fill: true) { from }', 'cumulative { count sum { cost } }'),
      groups('range(of: cost, width: 0.1, fill: true) { from }', 'ratio(of: sumCost)'),
    ];
    for (const query of queries)
      for (const by of ['compiled', 'resolvers'] as const)
        await expectWorkspaceIn(async () => {
          const { body } = await bothWays.askOne(by, shared.owner, { query });
          expect(JSON.parse(body).errors).toBeUndefined();
        });
  });

  test('groups of the workspace of rows, by the resolvers', async () => {
    const query = '{ agents(first: 1) { nodes { workspace { plugins(first: 0) { groups { nodes { count } } } } } } }';
    await expectWorkspaceIn(async () => {
      const { body } = await bothWays.askOne('resolvers', shared.owner, { query });
      expect(JSON.parse(body).errors).toBeUndefined();
    });
  });

  test('a member, and what is theirs, by the resolvers', async () => {
    const query = `{ agents(first: 1) { nodes { creator { ... on User {
      memberships(first: 1) { nodes { workspace { plugins(first: 1) { nodes { id } } } } } } } } } }`;
    const { statements } = await statementsOf(async () => {
      const { body } = await bothWays.askOne('resolvers', shared.owner, { query });
      expect(JSON.parse(body).errors).toBeUndefined();
    });
    const ofMember = statements.filter((text) => text.includes('"User" AS "t0"') && text.includes('"Plugin"'));
    expect(ofMember.map(tablesWithoutValue)).toEqual([['Membership']]);
  });

  test('whoever has a secret that tells the workspace', async () => {
    const key = await makeKey(gateway, shared.owner, { scopes: ['agents.read'] });
    await expectWorkspaceIn(() => gateway.graphql(key, '{ agents { nodes { id } } }'));
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ channel: `pub_${'0'.repeat(32)}` });
    await expectWorkspaceIn(async () => gateway.app.request('/widget/session', { method: 'POST', headers, body }));
    await expectWorkspaceIn(async () => gateway.app.request(`/oauth/start?ticket=${'t'.repeat(43)}`));
  });

  test('jobs of one workspace', async () => {
    const { id: workspaceId, ids } = await makeWorld(gateway);
    const base = { workspaceId, baseId: ids.baseId };
    const { database } = gateway;
    await database.passageSegment.updateMany({ where: { workspaceId }, data: { analysis: 0 } });
    await expectWorkspaceIn(() => reindexBase(database, base));
    await expectWorkspaceIn(() => compactPostings(database, base));
    await expectWorkspaceIn(() => indexMessages(database, workspaceId, { min: 1 }));
  });
});

test('no periodic task sends a statement that Citus refuses', async () => {
  const { database: _embedded, ...others } = schedules;
  const { services } = gateway;
  await makeWorld(gateway);
  const later = { ...services, now: () => new Date(Date.now() + 3_600_000_000) };
  for (const [name, task] of Object.values(others).flatMap(({ tasks }) => Object.entries(tasks))) {
    const { statements } = await statementsOf(() => task(later as never));
    expect({ name, refused: refused(statements) }).toEqual({ name, refused: [] });
  }
  const alerts = await statementsOf(() => gateway.app.checkAlerts());
  expect(refused(alerts.statements)).toEqual([]);
  const claims = await statementsOf(() => claimDeliveries(later, { max: 10, busy: new Map() }));
  expect(refused(claims.statements)).toEqual([]);
});

test('there were many statements, so that the tests above prove something', () => {
  expect(recorded.size).toBeGreaterThan(300);
});

test.runIf(isCluster)('each goes to one node of the cluster', async () => {
  const known = [...exceptions, ...byColumn].map(([, pattern]) => pattern);
  const scatteredOver: { text: string; tasks: number }[] = [];
  for (const statement of recorded.values()) {
    const { text } = statement;
    if (known.some((pattern) => pattern.test(text)) || referencesIn(withoutTexts(text)).length === 0) continue;
    const tasks = await tasksOf(gateway.handle, statement);
    if (tasks > 1) scatteredOver.push({ text, tasks });
  }
  expect(scatteredOver).toEqual([]);
});

test('each exception is of a statement that there is', () => {
  const stale = [...exceptions, ...byColumn].filter(
    ([, pattern]) => ![...recorded.keys()].some((text) => pattern.test(text)),
  );
  expect(stale).toEqual([]);
});

describe('the check of a statement', () => {
  test.each([
    ['a row by its id alone', 'SELECT "id" FROM "Message" WHERE "id" = $1'],
    [
      'a row that a join finds by its id alone',
      'SELECT FROM "Agent" a JOIN "Lead" l ON l."agentId" = a."id" WHERE a."workspaceId" = $1',
    ],
    ['an insert without the workspace', 'INSERT INTO "Agent" ("id", "name") VALUES ($1, $2)'],
    ['an update by id', 'UPDATE "public"."Turn" SET "state" = $1 WHERE "public"."Turn"."id" = $2'],
    [
      'a selected column',
      'SELECT "public"."Agent"."workspaceId" FROM "public"."Agent" WHERE "public"."Agent"."id" = $1',
    ],
  ])('fails for %s', (_what, text) => {
    expect(tablesWithoutWorkspace(text)).toHaveLength(1);
  });
});

describe('the check of what Citus refuses', () => {
  test.each([
    ['VOLATILE', 'UPDATE "Turn" SET "aliveUntil" = clock_timestamp() WHERE "workspaceId" = $1'],
    [
      'DO UPDATE SET',
      'INSERT INTO "Gap" ("workspaceId") VALUES ($1) ON CONFLICT ("workspaceId") DO UPDATE SET "at" = now() RETURNING "id"',
    ],
    [
      'a subquery',
      'INSERT INTO "Usage" ("workspaceId") VALUES ($1) ON CONFLICT DO UPDATE SET "current" = 1 WHERE 2 < (SELECT 3)',
    ],
    [
      'a CASE of a value',
      `INSERT INTO "Gap" ("workspaceId") VALUES ($1) ON CONFLICT DO UPDATE SET "state" = CASE "Gap"."state" WHEN 'a' THEN 'b' END`,
    ],
    [
      'data type of parameter',
      'INSERT INTO "Usage" ("workspaceId") SELECT $1 ON CONFLICT ("workspaceId") DO UPDATE SET "current" = 1 WHERE "Usage"."current" < $2',
    ],
    [
      'STABLE',
      'UPDATE "Lead" lead SET "custom" = jsonb_build_object($1, change."value") FROM "x" change WHERE lead."workspaceId" = $2',
    ],
    ['STABLE', `UPDATE "Turn" SET "aliveUntil" = "aliveUntil" + interval '1 hour' WHERE "workspaceId" = $1`],
    ['CASE or COALESCE', 'UPDATE "Turn" SET "endedAt" = coalesce("endedAt", now()) WHERE "workspaceId" = $1'],
    ['RETURNING', 'DELETE FROM "Gap" WHERE "workspaceId" = $1 RETURNING "endsAt" - now()'],
    ['INSERT', 'INSERT INTO "Gap" ("workspaceId", "count") VALUES ($1, (SELECT count(*) FROM "Lead"))'],
    [
      'lateral outer join',
      'SELECT * FROM "User" AS "t0" LEFT JOIN LATERAL (SELECT 1 FROM "Membership" AS "t1" WHERE "t1"."userId" = "t0"."id") AS "m" ON true',
    ],
    ['FOR UPDATE', 'SELECT "id" FROM "Turn" WHERE "state" = $1 LIMIT 5 FOR UPDATE SKIP LOCKED'],
  ])('fails for %s', (words, text) => {
    expect(refusalsOf(text)).toEqual([expect.stringContaining(words)]);
  });

  test('fails for a table that names the workspace as the column of another', () => {
    const text = (joined: string) =>
      `SELECT a."id" FROM "Agent" a, LATERAL (SELECT 1 FROM "Lead" l WHERE l."workspaceId" = ${joined}) x WHERE a."workspaceId" = $1`;
    expect(tablesWithoutValue(text('a."workspaceId"'))).toEqual(['Lead']);
    expect(tablesWithoutValue(text('$1'))).toEqual([]);
  });
});
