import {
  buildSchema,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema as gatewaySchema } from '../../schema/index.ts';
import { limits } from '../../src/core/limits.ts';
import { fieldsCanBeMerged } from '../../src/graphql/documents/fields-can-be-merged.ts';
import { validateDocument } from '../../src/graphql/documents/validate.ts';
import { extentOf, isTooLargeToWalk } from '../../src/graphql/price/index.ts';
import { growth } from '../support/random/growth.ts';
import { Random } from '../support/random/random.ts';
import { seed } from '../support/random/seed.ts';

const schema = buildSchema(`
  directive @stream(initialCount: Int) on FIELD
  interface Pet { name(length: Int): String friend: Pet any: Any friends: [Pet] }
  union Any = Dog | Cat
  type Dog implements Pet { name(length: Int): String friend: Pet any: Any friends: [Pet] age: Int! weight: Int owner: Cat toys: [String] }
  type Cat implements Pet { name(length: Int): String friend: Dog any: Any friends: [Pet] age: Int weight: Float owner: Dog toys: String }
  type Query { pet: Pet any: Any dog(id: Int): Dog cat: Cat }
`);

const fields: Record<string, [name: string, of: string | null][]> = {
  Query: [
    ['pet', 'Pet'],
    ['any', 'Any'],
    ['dog', 'Dog'],
    ['cat', 'Cat'],
  ],
  Pet: [
    ['name', null],
    ['friend', 'Pet'],
    ['any', 'Any'],
    ['friends', 'Pet'],
  ],
  Any: [],
  Dog: [
    ['name', null],
    ['friend', 'Pet'],
    ['any', 'Any'],
    ['friends', 'Pet'],
    ['age', null],
    ['weight', null],
    ['owner', 'Cat'],
    ['toys', null],
  ],
  Cat: [
    ['name', null],
    ['friend', 'Dog'],
    ['any', 'Any'],
    ['friends', 'Pet'],
    ['age', null],
    ['weight', null],
    ['owner', 'Dog'],
    ['toys', null],
  ],
};
const within: Record<string, string[]> = {
  Query: ['Query'],
  Pet: ['Pet', 'Dog', 'Cat', 'Any'],
  Any: ['Any', 'Pet', 'Dog', 'Cat'],
  Dog: ['Dog', 'Pet', 'Any'],
  Cat: ['Cat', 'Pet', 'Any'],
};

/** A random document, in which few names are shared by many fields; `mess`: how probably a field has another's name. */
function documentOf(random: Random, mess: number): string {
  const types = ['Query', 'Pet', 'Any', 'Dog', 'Cat'];
  const fragments = Array.from({ length: 4 }, (_, at) => ({ name: `F${at}`, type: random.pick(types) }));
  const selection = (type: string, depth: number, from: number): string => {
    const parts = Array.from({ length: random.between(1, 4) }, () => {
      const spread = fragments.slice(from).find((one) => within[type]?.includes(one.type) && random.chance(0.3));
      if (spread) return `...${spread.name}`;
      if (depth > 0 && random.chance(0.35)) {
        const other = random.pick(within[type] ?? [type]);
        return `... on ${other} ${selection(other, depth - 1, from)}`;
      }
      const [name, of] = random.pick(fields[type] ?? []) ?? ['__typename', null];
      if (of && depth === 0) return '__typename';
      const alias = random.chance(mess) ? `${random.pick(['name', 'age', 'x', 'owner'])}: ` : '';
      const given =
        (name === 'name' || name === 'dog') && random.chance(mess)
          ? `(${name === 'dog' ? 'id' : 'length'}: ${random.pick(['1', '2', '$v'])})`
          : '';
      const stream = name === 'friends' && random.chance(mess / 2) ? ' @stream(initialCount: 1)' : '';
      return `${alias}${name}${given}${stream}${of ? ` ${selection(of, depth - 1, from)}` : ''}`;
    });
    return `{ ${parts.join(' ')} }`;
  };
  const operations = Array.from(
    { length: random.between(1, 2) },
    (_, at) => `query Q${at} ${selection('Query', 4, 0)}`,
  );
  const all = fragments.map(({ name, type }, at) => `fragment ${name} on ${type} ${selection(type, 3, at + 1)}`);
  // A document is invalid for other reasons if it has a fragment that is not used.
  const used = (name: string) => [...operations, ...all].some((text) => text.includes(`...${name}`));
  return [
    ...operations,
    ...all.filter((_, at) => used(`F${at}`)),
    `query R { __typename ${fragments
      .filter(({ type, name }) => type === 'Query' && used(name))
      .map(({ name }) => `...${name}`)
      .join(' ')} }`,
  ].join('\n');
}

describe('the rule that fields of one name must be the same', () => {
  test('finds a conflict in random documents exactly where graphql does', () => {
    const random = new Random(seed);
    const found = { conflicts: 0, none: 0 };
    for (let run = 0; run < 1_200; run += 1) {
      const text = documentOf(random, random.pick([0, 0.02, 0.05, 0.2]));
      const document = parse(text);
      // Fragments that only unused ones spread make a document invalid, and are no operation's.
      if (validate(schema, document).some(({ message }) => /never used|cannot be spread/i.test(message))) continue;
      if (isTooLarge(document)) continue;
      const theirs = validate(schema, document, [OverlappingFieldsCanBeMergedRule], { maxErrors: 10_000 });
      const ours = validate(schema, document, [fieldsCanBeMerged], { maxErrors: 10_000 });
      expect(ours.length > 0, `${text}\n${theirs.map(String).join('\n')}\n${ours.map(String).join('\n')}`).toBe(
        theirs.length > 0,
      );
      found[ours.length > 0 ? 'conflicts' : 'none'] += 1;
    }
    expect(found.conflicts).toBeGreaterThan(150);
    expect(found.none).toBeGreaterThan(150);
  });
});

test.each([
  '{ pet { a: name } pet { a: friend { name } } }',
  '{ pet { a: name b: name(length: 1) b: name } }',
  '{ dog { owner { x: age } ...F } } fragment F on Dog { owner { x: weight } }',
  '{ any { ... on Dog { x: weight } ... on Cat { x: weight } } }',
  '{ pet { friends @stream { name } friends { name } } }',
  '{ dog { name(length: 1) } ... { dog { name(length: 2) } } }',
])('%s is refused in the words and at the place that graphql has for it', (text) => {
  const [theirs, ours] = [OverlappingFieldsCanBeMergedRule, fieldsCanBeMerged].map((rule) =>
    validate(schema, parse(text), [rule]).map(({ message, locations }) => ({ message, locations })),
  );
  expect(ours).toEqual(theirs);
  expect(ours).toHaveLength(1);
});

/** Operations that are refused for their size are not checked. */
const isTooLarge = ({ definitions }: DocumentNode): boolean =>
  definitions.some(
    (one) =>
      one.kind === Kind.OPERATION_DEFINITION &&
      isTooLargeToWalk(
        extentOf(
          one.selectionSet,
          definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION) as FragmentDefinitionNode[],
        ),
      ),
  );

const repeated = (count: number, part: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join(' ');

describe('validation takes time in proportion to the length of the document', () => {
  test.each<[string, (count: number) => string]>([
    ['a list repeated', (count) => `{ leads { ${repeated(count, () => 'nodes { id name }')} } }`],
    ['a field repeated', (count) => `{ leads { nodes { ${repeated(4 * count, () => 'id')} } } }`],
    [
      'a name of two fields',
      (count) => `{ leads { nodes { ${repeated(count, (at) => `a: ${at % 2 ? 'id' : 'name'}`)} } } }`,
    ],
    ['inline fragments', (count) => `{ leads { nodes { ${repeated(count, () => '... { id }')} } } }`],
    [
      'lists within lists',
      (count) => `{ ${repeated(count / 10, () => `agents { ${repeated(5, () => 'nodes { id }')} }`)} }`,
    ],
    [
      'fields with arguments',
      (count) => `{ ${repeated(count / 3, () => 'leads(filter: {hasEmail: true, search: "a"}) { totalCount }')} }`,
    ],
    [
      'many fragments',
      (count) =>
        `{ ${repeated(count / 2, (at) => `...F${at}`)} } ${repeated(count / 2, (at) => `fragment F${at} on Query { leads { totalCount } }`)}`,
    ],
    [
      'fields in a chain of fragments',
      (count) =>
        `{ ...F0 } ${repeated(count / 2, (at) => `fragment F${at} on Query { a${at}: __typename ${at < count / 2 - 1 ? `...F${at + 1}` : ''} }`)}`,
    ],
  ])('%s', async (_name, documentOf) => {
    const count = 480;
    const documents = new Map(
      [count, count / 8].map((size) => [size, parse(documentOf(size), { maxTokens: limits.tokens })]),
    );
    const grown = await growth(count, (size) => validateDocument(gatewaySchema, documents.get(size) as never));
    expect(grown).toBeLessThan(3);
  });
});
