import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/database/ids.ts';
import type { ListRule } from '../../../src/lists/list.ts';
import { makeKey } from '../../support/auth/keys.ts';
import { BothWays } from '../../support/compiled/both-ways.ts';
import { expectFailure, useGateway } from '../../support/gateway/app.ts';
import { rootFields } from '../../support/graphql/shape.ts';
import { casesOf } from '../../support/random/cases.ts';
import { options, sampleOf } from '../../support/random/seed.ts';
import { makeWorld, type World } from '../../support/world/world.ts';

const gateway = useGateway();
let world: World;
let bothWays: BothWays;

beforeAll(async () => {
  world = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
  const { ids, make, id: workspaceId } = world;
  const pick = <T>(values: T[]) => fc.constantFrom(...values);
  const of = fc.record({
    platform: pick(['api', 'email', 'widget'] as const),
    platformUserIdentifier: pick(['', 'ana', 'Ana', 'zoë', 'b"c']),
    preview: fc.boolean(),
    outcome: pick([null, 'abandoned', 'handed_over'] as const),
  });
  const conversations = sampleOf(of, 15, 'conversations').map((one) => ({ ...make.conversation(), ...one }));
  await gateway.database.conversation.createMany({ data: conversations });
  const message = fc.record({
    conversation: pick(conversations),
    rating: pick([null, 'like', 'dislike'] as const),
    days: fc.nat({ max: 9 }),
  });
  const bases = [ids.baseId as string, newId('base')];
  await gateway.database.base.create({ data: { ...make.base(), id: bases[1] as string } });
  const sources = bases.flatMap((baseId) => [1, 2].map(() => ({ ...make.source(), id: newId('source'), baseId })));
  await gateway.database.source.createMany({ data: sources });
  const messages = sampleOf(message, 80, 'messages').map(({ conversation, days, rating }, position) => ({
    ...make.message(),
    conversationId: conversation.id,
    agentId: ids.agentId as string,
    position,
    rating,
    createdAt: new Date(Date.parse('2026-09-01T12:00:00Z') + days * 86_400_000),
  }));
  await gateway.database.message.createMany({ data: messages });
  const citations = messages.flatMap(({ id, createdAt }, at) =>
    sources.slice(at % 3, (at % 3) + 2).map((source) => ({ sourceId: source.id, messageId: id, createdAt })),
  );
  const data = citations.map((citation) => ({ ...citation, id: newId('citation'), workspaceId }));
  await gateway.database.citation.createMany({ data });
});

/** Each key that is a column of a row that the grouped one refers to. */
const keys = rootFields('Query').flatMap((field) => {
  const rule = field.extensions.parleyList as ListRule | undefined;
  return Object.entries(rule?.groups?.by ?? {}).flatMap(([key, dimension]) =>
    rule && 'via' in dimension && dimension.via
      ? [{ list: field.name, model: rule.model, key, dimension, via: dimension.via }]
      : [],
  );
});

test('keys of related rows are those of visitors, bases, agents and what a conversation is', () => {
  expect(keys.map(({ list, key }) => `${list} by ${key}`).sort()).toEqual([
    'citations by agent',
    'citations by base',
    'citations by rating',
    'messages by platform',
    'messages by platformUserIdentifier',
    'reachedStages by agent',
    'reachedStages by channel',
    'reachedStages by outcome',
    'reachedStages by platform',
    'reachedStages by preview',
  ]);
});

describe.each(keys.map((of) => [`${of.list} by ${of.key}`, of] as const))('%s', (_, of) => {
  const { list, key, dimension, model, via } = of;
  const selected = dimension.kind === 'related' ? `${key} { id }` : key;

  test('are the groups of SQL, page by page, both ways', async () => {
    const expected = await gateway.database.$queryRawUnsafe<{ value: string | null; n: number }[]>(
      `SELECT o."${dimension.column}"::text AS value, count(*)::int AS n FROM "${model}" r
       JOIN "${via.model}" o
         ON o."workspaceId" = r."workspaceId" AND o."id" = r."${via.relation}Id"
       WHERE r."workspaceId" = $1 GROUP BY o."${dimension.column}" ORDER BY 2 DESC, o."${dimension.column}"::text COLLATE "C"`,
      world.id,
    );
    const asked = fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.boolean(), async (size, isNested) => {
      const found: { value: string | null; n: number }[] = [];
      for (let after: string | null = null; ; ) {
        const groups = `groups(first: ${size}, after: $after) { nodes { by { ${selected} } count rows(first: 1) { totalCount
          ${isNested ? 'groups(first: 1) { nodes { count } }' : ''} nodes { id } } } pageInfo { hasNextPage endCursor } }`;
        const query = `query ($after: String) { ${list}(first: 0) { ${groups} } }`;
        const { data, errors } = await bothWays.agree(world.owner, query, { after });
        expect(errors).toBeUndefined();
        const { nodes, pageInfo } = data[list].groups;
        for (const { by, count, rows } of nodes) {
          expect([rows.totalCount, rows.nodes.length]).toEqual([count, 1]);
          if (isNested) expect(rows.groups.nodes).toEqual([{ count }]);
          const value = by[key]?.id ?? by[key];
          found.push({ value: value === null ? null : String(value), n: count });
        }
        if (!pageInfo.hasNextPage) break;
        after = pageInfo.endCursor;
      }
      expect(found).toEqual(expected);
    });
    await fc.assert(asked, options(casesOf(6), `${list} by ${key}`));
  });

  test('within outer groups, and in running totals and the time before', async () => {
    const moment = list === 'reachedStages' ? 'reachedAt' : 'createdAt';
    const query = `{ ${list}(first: 0, filter: {${moment}: {from: "2020-01-01", to: "2030-01-01"}}) {
      groups(first: 100, having: {count: {gt: 0}}) { totalCount nodes { by { ${selected} year: ${moment}(every: year, fill: true) { from } }
        count previous { count } cumulative { count } } other { count } }
      nested: groups(first: 2) { nodes { by { ${selected} } count rows(first: 0) {
        groups(first: 50) { nodes { by { ${selected} day: ${moment}(every: day) { from } } count } } } } } } }`;
    const { data, errors } = await bothWays.agree(world.owner, query);
    expect(errors).toBeUndefined();
    for (const { by, count, rows } of data[list].nested.nodes) {
      const within = rows.groups.nodes as { by: Record<string, unknown>; count: number }[];
      expect(within.reduce((sum, group) => sum + group.count, 0)).toBe(count);
      for (const group of within) expect(group.by[key]).toEqual(by[key]);
    }
  });
});

test('a visitor is no key for who may not read conversations', async () => {
  const key = await makeKey(gateway, world.owner, { scopes: ['analytics.read'] });
  for (const list of ['conversations', 'messages']) {
    const query = `{ ${list} { groups { nodes { by { platformUserIdentifier } count } } } }`;
    expectFailure(await gateway.graphql(key, query), 'forbidden', /^by\.platformUserIdentifier: needs the scope/);
  }
  const { errors } = await gateway.graphql(key, '{ messages { groups { nodes { by { platform } count } } } }');
  expect(errors).toBeUndefined();
});

test('a key of another row costs the reading of it', async () => {
  const costOf = async (by: string) => {
    const query = `{ messages(first: 0) { groups { nodes { by { ${by} } count } } } }`;
    const asked = 'query ($of: OperationInput!) { operationCost(operation: $of) { cost } }';
    return (await gateway.data(world.owner, asked, { of: { query } })).operationCost.cost;
  };
  expect(await costOf('platform')).toBeGreaterThanOrEqual(await costOf('role'));
});
