import { type GraphQLNamedType, getIntrospectionQuery, getNamedType, isObjectType } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { schema } from '../../../schema/index.ts';
import { limits } from '../../../src/core/limits.ts';
import { parseDocument } from '../../../src/graphql/documents/document.ts';
import { validateDocument } from '../../../src/graphql/documents/validate.ts';
import { BothWays } from '../../support/compiled/both-ways.ts';
import { useWorkspaces } from '../../support/gateway/workspaces.ts';
import { casesOf, oneOfEach } from '../../support/random/cases.ts';
import { Random } from '../../support/random/random.ts';
import { seed } from '../../support/random/seed.ts';

const { gateway, home } = useWorkspaces();
let bothWays: BothWays;
beforeAll(() => {
  bothWays = new BothWays(gateway);
});

type Answer = { data?: unknown; errors?: { message: string }[] };
async function ask(query: string): Promise<Answer> {
  const { compiled, resolvers } = await bothWays.ask(home.viewer, { query });
  expect(compiled.body).toBe(resolvers.body);
  return JSON.parse(resolvers.body);
}
const costOf = async (query: string): Promise<{ cost: number; refusal: string | null }> =>
  (
    await gateway.data(
      home.viewer,
      'query ($query: String!) { operationCost(operation: {query: $query}) { cost refusal } }',
      { query },
    )
  ).operationCost;

/** The values in an answer: scalars, nulls and objects. */
const valuesIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 1;
  const own = Array.isArray(value) ? 0 : 1;
  return Object.values(value).reduce((sum: number, one) => sum + valuesIn(one), own);
};

/** Random fields of an introspection type, under random names, a few levels deep. */
function selectionOf(random: Random, type: GraphQLNamedType, levels: number): string {
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields());
  const picked = Array.from({ length: random.between(1, 4) }, () => {
    const field = fields[random.between(0, fields.length - 1)];
    const below = field && getNamedType(field.type);
    if (!field || !below) return '';
    if (!isObjectType(below)) return repeated(random, field.name);
    if (levels === 0) return '';
    return repeated(random, `${field.name} { __typename ${selectionOf(random, below, levels - 1)} }`);
  });
  return picked.join(' ');
}
const repeated = (random: Random, field: string) =>
  Array.from({ length: random.between(0, 2) === 0 ? 8 : 1 }, () => `a${random.between(0, 1e9)}: ${field}`).join(' ');

test('the query that clients send at their start is answered', async () => {
  const all = { inputValueDeprecation: true, oneOf: true, specifiedByUrl: true, schemaDescription: true };
  const query = getIntrospectionQuery(all);
  expect((await ask(query)).errors).toBeUndefined();
  const { cost, refusal } = await costOf(query);
  expect(refusal).toBeNull();
  expect(cost).toBeGreaterThan(500);
});

test.each([
  ['many names for a list', `{ __schema { types { ${names(200, 'fields { name }')} } } }`, 'introspection'],
  ['many names for a value', `{ __schema { types { ${names(900, 'kind')} } } }`, 'introspection'],
  ['many names for a text', `{ __schema { types { ${names(200, 'description')} } } }`, 'introspection'],
  ['more fields than any operation has', `{ __schema { types { ${names(1_300, 'name')} } } }`, 'breadth'],
  [
    'the same within a fragment',
    `{ ...F } fragment F on Query { __type(name: "Agent") { ${names(1_300, 'name')} } }`,
    'breadth',
  ],
  [
    'the largest type, often',
    `{ __type(name: "Query") { fields { args { ${names(990, 'name')} } } } }`,
    'introspection',
  ],
])('asking about the schema by %s is refused before it is read', async (_by, query, what) => {
  const { data, errors } = await ask(query);
  expect(data ?? null).toBeNull();
  expect(errors?.[0]?.message).toMatch(new RegExp(`^The operation is too large: its ${what} is \\d+`));
  expect((await costOf(query)).refusal).toMatch(`its ${what} is `);
});

function names(count: number, field: string): string {
  return Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ');
}

test('no random question about the schema is answered by more than twice what an operation may ask for', async () => {
  const random = new Random(seed);
  /** Whether it is neither too long nor too deep. */
  const isDocument = (query: string): boolean => {
    if (query.length > limits.document) return false;
    try {
      return validateDocument(schema, parseDocument(query)).length === 0;
    } catch {
      return false;
    }
  };
  const outcomes = { answered: 0, refused: 0 };
  const root = schema.getType('__Schema');
  for (let run = 0; run < casesOf(100) && root; run += 1) {
    const query = `{ __schema { __typename ${selectionOf(random, root, 4)} } }`;
    if (!isDocument(query)) continue;
    const { data, errors } = await ask(query);
    if (errors) expect(errors[0]?.message).toMatch(/too large: its (introspection|breadth|size) is /);
    // Fields are counted; an object with one has two values.
    else expect(valuesIn(data)).toBeLessThanOrEqual(2 * limits.query.introspection);
    outcomes[errors ? 'refused' : 'answered'] += 1;
  }
  expect(outcomes.answered).toBeGreaterThanOrEqual(casesOf(6));
  expect(outcomes.refused).toBeGreaterThanOrEqual(casesOf(3));
});

/** The lists of everything of a kind, and what stands around the fields of one. */
const lists: Record<string, (fields: string) => string> = {
  __Type: (fields) => `types { ${fields} }`,
  __Field: (fields) => `types { fields { ${fields} } }`,
  __InputValue: (fields) => `types { inputFields { ${fields} } fields { args { ${fields} } } }`,
  __EnumValue: (fields) => `types { enumValues { ${fields} } }`,
  __Directive: (fields) => `directives { ${fields} }`,
};
const textsOf = (name: string): string[] => {
  const type = schema.getType(name);
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  return fields.filter(({ type }) => getNamedType(type).name === 'String').map((field) => field.name);
};

const texts = Object.keys(lists).flatMap((name) => textsOf(name).map((field): [string, string] => [name, field]));

test.each(oneOfEach(texts, ([, field]) => field))(
  'as often as %s.%s may be asked for, the answer is a few times that of what clients ask for',
  async (name, field) => {
    const answerTo = async (query: string) => JSON.stringify(await gateway.data(home.viewer, query));
    const query = (count: number) => `{ __schema { ${lists[name]?.(names(count, field))} } }`;
    let [accepted, refused] = [0, 900];
    while (refused - accepted > 1) {
      const count = Math.floor((accepted + refused) / 2);
      if ((await costOf(query(count))).refusal === null) accepted = count;
      else refused = count;
    }
    expect(accepted).toBeGreaterThan(2);
    const usual = await answerTo(getIntrospectionQuery());
    expect((await answerTo(query(accepted))).length).toBeLessThan(7 * usual.length);
  },
);
