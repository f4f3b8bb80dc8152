import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { statementsOf } from '../support/database/database.ts';
import { useGateway } from '../support/gateway/app.ts';
import { withStoppedClock } from '../support/gateway/stopped-clock.ts';
import { lists } from '../support/graphql/lists.ts';
import { seed } from '../support/random/seed.ts';
import { insert, planRow, sortValues } from '../support/world/many-rows.ts';
import { makeWorld, type World } from '../support/world/world.ts';

/** Operations, each with its exact number of statements for the resolvers and for compiled queries. */
const operations: [what: string, document: string, statements: { resolvers: number; compiled: number }][] = [
  ['a list', '{ agents { nodes { name } } }', { resolvers: 1, compiled: 1 }],
  ['a count alone', '{ agents { totalCount } }', { resolvers: 1, compiled: 1 }],
  ['a list and its count', '{ agents { totalCount nodes { name } } }', { resolvers: 2, compiled: 1 }],
  [
    'edges and nodes together',
    '{ agents { edges { cursor node { name } } nodes { id } pageInfo { hasNextPage } } }',
    { resolvers: 1, compiled: 1 },
  ],
  [
    'four levels: agents, their conversations, their messages and leads',
    `{ agents { nodes { name conversations { totalCount nodes { title
        lead { name conversations { totalCount } } messages { totalCount nodes { content } } } } } } }`,
    { resolvers: 1, compiled: 1 },
  ],
  [
    'many to many, both ways',
    '{ agents { nodes { bases { totalCount nodes { description agents { nodes { name } } } } plugins { nodes { nameForHuman } } } } }',
    { resolvers: 1, compiled: 1 },
  ],
  [
    'the way up',
    '{ messages { nodes { content conversation { title channel { platform } agent { name workspace { name } } } } } }',
    { resolvers: 1, compiled: 1 },
  ],
  [
    'one list under two names, each with its own arguments',
    `{ agents { nodes {
        newest: conversations(first: 1) { nodes { title } }
        oldest: conversations(last: 1) { nodes { title } }
        active: conversations(filter: { status: active }) { totalCount } } } }`,
    { resolvers: 2, compiled: 1 },
  ],
  [
    'counts up to a limit, of a list and of the lists of its rows',
    '{ agents { countUpTo { count } nodes { conversations { countUpTo { count } } bases { countUpTo(limit: 1) { precision } } } } }',
    { resolvers: 4, compiled: 1 },
  ],
  [
    'members with their people and roles',
    '{ memberships { nodes { role user { name } roles { nodes { app { name } } } } } }',
    { resolvers: 1, compiled: 1 },
  ],
  [
    'groups of a list, of the lists of its rows, and within groups',
    `{ agents { nodes { leads(first: 0) { groups(first: 2) { nodes { count } } } } }
       leads(first: 0) { groups(first: 2) { nodes { count rows(first: 0) { groups(first: 2) { nodes { by { capture } count } } } } } } }`,
    { resolvers: 4, compiled: 1 },
  ],
  [
    'bases with their sources and passages',
    '{ bases { nodes { sources { nodes { passages { totalCount nodes { text } } } } } } }',
    { resolvers: 1, compiled: 1 },
  ],
];

describe.each(['resolvers', 'compiled'] as const)('answered by the %s,', (by) => {
  const gateway = useGateway({ COMPILED_QUERIES: String(by === 'compiled') });
  let small: World;
  let large: World;
  beforeAll(async () => {
    small = await makeWorld(gateway);
    large = await makeWorld(gateway);
    const values = fc.sample(sortValues, { seed, numRuns: 15 });
    for (const type of new Set(lists.map(({ row }) => row.name))) {
      await insert(
        gateway,
        values.map((value) => planRow(large, type, value)),
      );
    }
  });

  const count = ({ owner }: World, document: string): Promise<number> =>
    withStoppedClock(async () => {
      // From here on, the bearer and the document are cached.
      await gateway.data(owner, document);
      const { statements } = await statementsOf(() => gateway.data(owner, document));
      return statements.filter((statement) => !/^(BEGIN|COMMIT|SET)\b/.test(statement)).length;
    });

  test.each(operations)('%s: the statements are few, however many rows there are', async (_, document, expected) => {
    expect([await count(small, document), await count(large, document)]).toEqual([expected[by], expected[by]]);
  });

  test('a list under several names has under each what it would have alone', async () => {
    const parts = [
      'conversations(first: 2) { totalCount nodes { id } }',
      'conversations(last: 2) { nodes { id } pageInfo { hasPreviousPage } }',
      'conversations(first: 3, orderBy: { field: updatedAt, direction: asc }) { nodes { id } }',
      'conversations(filter: { hasLead: false }) { totalCount nodes { id } }',
    ];
    const agent = (selection: string) =>
      gateway.data(large.owner, `{ agent(id: "${large.ids.agentId}") { ${selection} } }`);
    const together = await agent(parts.map((part, index) => `part${index}: ${part}`).join(' '));
    const alone = await Promise.all(parts.map((part, index) => agent(`part${index}: ${part}`)));
    expect(together.agent).toEqual(Object.assign({}, ...alone.map((data) => data.agent)));
  });

  test.each([
    [
      'a count and then rows, beside rows',
      '{ totalCount }',
      '{ nodes { id } pageInfo { startCursor } }',
      '{ nodes { id } }',
    ],
    [
      'rows and then a count, beside a count',
      '{ nodes { id } }',
      '{ totalCount countUpTo { count } }',
      '{ totalCount }',
    ],
    [
      'nothing and then both, beside both',
      '{ __typename }',
      '{ totalCount nodes { agent { id } } }',
      '{ totalCount nodes { id } }',
    ],
  ])('a list that stands twice under one name is read with its own arguments: %s', async (_, first, second, other) => {
    const asked = 'list: conversations(first: 2, filter: { status: resolved })';
    const agents = async (selection: string) =>
      (await gateway.data(large.owner, `{ agents { nodes { id ${selection} } } }`)).agents.nodes;
    const once = await agents(`${asked} { ...on ConversationConnection ${first} ... ${second} }`);
    const twice = await agents(`other: conversations(first: 3) ${other} ${asked} ${first} ... { ${asked} ${second} }`);
    expect(twice.map(({ other: _other, ...agent }: { other: object }) => agent)).toEqual(once);
  });
});
