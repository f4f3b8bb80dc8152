import { isObject } from '../core/json.ts';
import type { JsonValue } from '../model/types.ts';
import { beginningOf } from '../text/shorten.ts';
import type { Node } from './references.ts';
import type { Schema } from './types.ts';

const list = (text: string) => text.split(/\s+/);
const numbers = list(
  `minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minContains
  maxContains minProperties maxProperties`,
);
const words = list('title description');
const notations = list('format pattern contentEncoding contentMediaType');
const types = list('string number integer boolean object array null');
/** Types that descriptions have and JSON Schema has not. */
const aliases: Record<string, string> = {
  int: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  decimal: 'number',
  bool: 'boolean',
  date: 'string',
  datetime: 'string',
  uuid: 'string',
};
const maxText = 1_000;
/** Providers refuse longer enums; the API checks its own. */
const maxValues = 250;
const maxValuesLength = 15_000;

/**
 * The keywords of a schema whose values are no schemas, as far as JSON Schema knows them: a provider refuses all tools
 * of a turn for one that is malformed, and a type that does not exist would refuse every argument.
 */
export function plainKeywords(schema: Node): Schema {
  const type = typeOf(schema);
  const values = Array.isArray(schema.enum) ? [...new Set(schema.enum.map((value) => fitted(value, type)))] : [];
  const isLong = values.length > maxValues || JSON.stringify(values).length > maxValuesLength;
  const entries = [
    ['type', type],
    ...words.map((keyword) => [keyword, textIn(schema[keyword])]),
    ...notations.map((keyword) => [keyword, notationIn(schema[keyword])]),
    ...numbers.map((keyword) => [keyword, numberIn(schema[keyword])]),
    ['enum', values.length > 0 && !isLong ? values : undefined],
    ['uniqueItems', schema.uniqueItems === true || undefined],
    ['const', schema.const],
    ['default', schema.default],
    ['dependentRequired', isObject(schema.dependentRequired) ? schema.dependentRequired : undefined],
  ];
  const kept: Schema = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  if (!isLong) return kept;
  const some = `One of ${values.length} values, such as ${values.slice(0, 3).join(', ')}`;
  return { ...kept, description: [kept.description, some].filter(Boolean).join('\n') };
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? beginningOf(value, maxText) : undefined;

/** The beginning of an expression is of no use. */
const notationIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= maxText ? value : undefined;

function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function typeOf(schema: Node): string | string[] | undefined {
  const { type, nullable } = schema;
  const known = [type].flat().flatMap((name) => {
    const lower = String(name).toLowerCase();
    const own = aliases[lower] ?? lower;
    return types.includes(own) ? [own] : [];
  });
  // A file is text for a model.
  if (known.length === 0 && (schema.contentMediaType ?? schema.contentEncoding) !== undefined) known.push('string');
  const all = [...new Set(nullable === true && known.length > 0 ? [...known, 'null'] : known)];
  return all.length > 1 || (Array.isArray(type) && all.length > 0) ? all : all[0];
}

/** A value of an enum in the type of its schema: YAML reads `enum: [1, 2]` of texts as numbers. */
function fitted(value: unknown, type: string | string[] | undefined): JsonValue {
  const has = (name: string) => [type].flat().includes(name);
  if (has('string') && !has(typeof value) && /^(number|boolean)$/.test(typeof value) && !has('integer'))
    return String(value);
  if ((has('integer') || has('number')) && !has('string')) return numberIn(value) ?? (value as JsonValue);
  return value as JsonValue;
}
