import fc from 'fast-check';
import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { type Field, isIdName } from '../graphql/shape.ts';
import { anyCharacter } from '../random/characters.ts';
import { type JsonSchema, resolved } from './operations.ts';

type Any = fc.Arbitrary<unknown>;

const nastyTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u200b',
  '💥'.repeat(50),
  'a'.repeat(40_000),
  '\'; DROP TABLE "Lead"; --',
  '%_\\',
  '${7*7}{{7*7}}',
  '__proto__',
  'constructor',
  'null',
  '-1',
  '1e999',
  'NaN',
  '../../etc/passwd',
  'http://127.0.0.1:1/',
  'javascript:alert(1)',
  '+5511987654321',
  'ana@example.com',
  '2026-02-30T25:61:61Z',
  '-271821-04-20T00:00:00.000Z',
  '+275760-09-13T00:00:00.000Z',
  '2026-01-01T00:00:00Z',
  '#12345g',
];

export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...nastyTexts) },
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ maxLength: 20 }),
);

const number: Any = fc.oneof(
  fc.constantFrom(0, -0, -1, 1, 1.5, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e21, 1e308, -1e308, 5e-324),
  fc.integer({ min: -10, max: 200 }),
);

/** Any JSON value, with more of those that tend to break things. */
export const junk: Any = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom([], {}, [null], [[[]]], { a: { b: {} } }, nested(90), JSON.parse('{"__proto__":{"polluted":1}}')),
  fc.jsonValue({ maxDepth: 2 }),
);

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

/** A value of the right type three times out of four, otherwise anything. */
const mostly = (right: Any): Any => fc.oneof({ weight: 3, arbitrary: right }, { weight: 1, arbitrary: junk });

/** Ids to try: the right one by argument name, and others. */
export type Known = { byName: Record<string, string>; others: string[] };

/** An id: the right one three times out of four. */
export function idOf({ byName, others }: Known, name: string): fc.Arbitrary<string> {
  const wrong = fc.oneof(text, fc.constantFrom(...others));
  const right = byName[name];
  return right === undefined
    ? wrong
    : fc.oneof({ weight: 3, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: wrong });
}

/** Values for a JSON schema, mostly valid. `name` is their key. */
export function forSchema(given: JsonSchema, ids: Known, name = '', depth = 0): Any {
  const schema = resolved(given);
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return fc.oneof(...parts.map((part) => forSchema(part, ids, name, depth + 1)));
  if (depth > 6) return junk;
  if (schema.enum) return mostly(fc.constantFrom(...schema.enum));
  const type = [schema.type].flat()[0];
  if (type === 'object' && schema.properties) {
    const fields = Object.entries(schema.properties).map(([key, value]) => [
      key,
      forSchema(value, ids, key, depth + 1),
    ]);
    return mostly(fc.record(Object.fromEntries(fields), { requiredKeys: [] }));
  }
  if (type === 'object') return mostly(fc.dictionary(text, junk, { maxKeys: 3 }));
  if (type === 'array') return mostly(fc.array(forSchema(schema.items ?? {}, ids, name, depth + 1), { maxLength: 3 }));
  if (type === 'boolean') return mostly(fc.boolean());
  if (type === 'string') return mostly(isIdName(name) ? idOf(ids, name) : text);
  return type === 'number' || type === 'integer' ? mostly(number) : junk;
}

/** Values for a GraphQL type, mostly valid, so that requests reach the domain rules. */
function forType(given: GraphQLInputType, ids: Known, name = '', depth = 0): Any {
  const type = getNullableType(given);
  const wrong = { weight: 1, arbitrary: junk };
  const mostly = (right: Any): Any => fc.oneof({ weight: 40, arbitrary: right }, wrong);
  if (isListType(type)) return mostly(fc.array(forType(type.ofType, ids, name, depth + 1), { maxLength: 3 }));
  if (isEnumType(type)) return mostly(fc.constantFrom(...type.getValues().map(({ name }) => name)));
  if (isInputObjectType(type)) {
    if (depth > 5) return fc.constant(null);
    const fields = Object.values(type.getFields());
    const shape = Object.fromEntries(fields.map(({ name, type }) => [name, forType(type, ids, name, depth + 1)]));
    const requiredKeys = fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name);
    return mostly(fc.record(shape, { requiredKeys }));
  }
  const byName: Record<string, Any> = {
    Boolean: fc.boolean(),
    Int: fc.oneof(fc.integer({ min: -1, max: 120 }), fc.constantFrom(2 ** 31 - 1, -(2 ** 31), 0)),
    Float: number,
    ID: idOf(ids, name),
    DateTime: fc.constantFrom(
      '2026-01-01T00:00:00Z',
      '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
      '2026-02-30T00:00:00Z',
    ),
    EmailAddress: fc.constantFrom('ana@example.com', 'ANA@EXAMPLE.COM', 'a@b.c', 'ana@localhost'),
    HexColorCode: fc.constantFrom('#2563eb', '#fff', '#12345678'),
    JSONObject: fc.dictionary(text, junk, { maxKeys: 3 }),
    JSON: junk,
  };
  return mostly(byName[(type as { name: string }).name] ?? text);
}

/** Variables for a GraphQL field. */
export const variablesFor = ({ args }: Field, ids: Known): Any =>
  fc.record(Object.fromEntries(args.map(({ name, type }) => [name, forType(type, ids, name)])), {
    requiredKeys: args.filter(({ type }) => isNonNullType(type)).map(({ name }) => name),
  });

/** A text with pieces removed, duplicated or replaced. */
export const damaged = (whole: string): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        fc.nat(),
        fc.nat({ max: 12 }),
        fc.oneof(fc.constantFrom('', '{', '}', '(', '"', '$', '...', '@x', '#'), text),
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map((cuts) =>
      cuts.reduce((left, [at, length, instead]) => {
        const start = at % (left.length + 1);
        return left.slice(0, start) + instead.slice(0, 200) + left.slice(start + length);
      }, whole),
    );
