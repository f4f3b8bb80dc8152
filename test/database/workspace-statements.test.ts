import { beforeAll, describe, expect, test } from 'vitest';
import { compactPostings } from '../../src/search/compaction.ts';
import { indexMessages } from '../../src/search/messages/writer.ts';
import { reindexBase } from '../../src/search/reindexing.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { statementsOf } from '../support/database/database.ts';
import { tablesWithoutWorkspace } from '../support/database/workspace-statements.ts';
import { useGateway } from '../support/gateway/app.ts';
import { documentOf, rootFields, roots } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { call, operations, requests } from '../support/rest/operations.ts';
import { variablesOf } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

/** Statements of requests that name no workspace, by design, and why. docs/scale.md describes them. */
const exceptions: [why: string, pattern: RegExp][] = [
  ['the row tells the workspace of a bearer’s secret', /"(App|Key)" AS "t0".* WHERE "t0"\."secretHash" = /],
  ['the row tells the workspace of a widget’s token', /"Channel" AS "t0".* WHERE \(?"t0"\."publishableToken" = /],
  [
    'the row tells the workspace of an OAuth state',
    /"PluginGrant" AS "t0".* WHERE \(?"t0"\."(stateHash|ticketHash)" = /,
  ],
  ['the row tells the workspace of an invitation', /"Membership" AS "t0".* WHERE .*"(linkHash|acceptedAt)"/],
  ['a person is found by their memberships', /"User" AS "t0".* WHERE .*"Membership" AS "t1"/],
];

const gateway = useGateway();
let bothWays: BothWays;
let shared: World;
beforeAll(async () => {
  bothWays = new BothWays(gateway);
  shared = await makeWorld(gateway);
});

const recorded = new Set<string>();
/** Runs `work` and expects every statement that reached the database meanwhile to name the workspace. */
async function expectWorkspaceIn(work: () => Promise<unknown>): Promise<void> {
  const { statements } = await statementsOf(work);
  const strays = statements.filter((text) => {
    if (recorded.has(text)) return false;
    recorded.add(text);
    return tablesWithoutWorkspace(text).length > 0 && !exceptions.some(([, pattern]) => pattern.test(text));
  });
  expect(strays).toEqual([]);
}

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

test('there were many statements, so that the tests above prove something', () => {
  expect(recorded.size).toBeGreaterThan(300);
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
