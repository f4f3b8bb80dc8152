import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { anyCharacter } from '../random/characters.ts';
import { description, type JsonSchema, resolved } from './operations.ts';

type Any = fc.Arbitrary<unknown>;
type Schema = JsonSchema & { [key: string]: unknown };

/** Characters of interoperable JSON (RFC 7493): no lone surrogates, and no NUL, which the gateway refuses. */
const character = fc
  .oneof(fc.constantFrom(...Array.from('abcXYZ019 .-_/@:%"\\é💥中\n')), anyCharacter)
  .filter((text) => text !== '\0');
const byFormat: Record<string, Any> = {
  email: fc.emailAddress().filter((text) => /^[\w+-]+(?:\.[\w+-]+)*@(?:[a-z0-9-]+\.)+[a-z]{2,}$/i.test(text)),
  uri: fc.webUrl(),
  'date-time': fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  base64: fc.base64String(),
};

/** A validator for a schema of the description. */
export function checkerOf(schema: JsonSchema): (value: unknown) => boolean {
  const validator = new Validator({ ...schema, components: description.components } as never, '2020-12');
  return (value) => validator.validate(JSON.parse(JSON.stringify(value))).valid;
}

/** Valid values for a schema of the description. */
export const valuesFor = (schema: JsonSchema): Any => validFor(schema as Schema).filter(checkerOf(schema));

/** Mostly valid values; the check handles parts that exclude each other. */
function validFor(given: Schema | boolean, depth = 0): Any {
  if (given === true) return fc.jsonValue({ maxDepth: 1 });
  if (given === false) throw new Error('Nothing is valid.');
  const schema = resolved(given) as Schema;
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    const parts = schema[key] as Schema[] | undefined;
    if (!parts) continue;
    const { [key]: _, ...rest } = schema;
    if (key === 'allOf')
      return validFor(
        parts.reduce((all, part) => both(all, part), rest as Schema),
        depth,
      );
    const choices = parts.map((part) => both(rest as Schema, part, key === 'oneOf' ? parts : []));
    // Skip alternatives without a possible type.
    return fc.oneof(...choices.filter(({ type }) => type?.length !== 0).map((choice) => validFor(choice, depth)));
  }
  if (schema.examples && schema.format === 'phone') return fc.constantFrom(...(schema.examples as unknown[]));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? guess(schema)].flat() as string[];
  return fc.oneof(...types.map((type) => valueOf(type, schema, depth)));
}

const guess = ({ properties, items, minLength, pattern }: Schema) =>
  properties
    ? 'object'
    : items
      ? 'array'
      : minLength !== undefined || pattern
        ? 'string'
        : ['string', 'number', 'boolean', 'null'];

function valueOf(type: string, schema: Schema, depth: number): Any {
  const {
    minLength = 0,
    maxLength = 30,
    minItems = 0,
    maxItems = 3,
    minimum,
    maximum,
  } = schema as Record<string, number>;
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: minimum ?? -1_000, max: maximum ?? 2 ** 31 });
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true, min: minimum, max: maximum });
  if (type === 'array') {
    const items = validFor((schema.items ?? true) as Schema, depth + 1);
    const size = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 3)) };
    return schema.uniqueItems
      ? fc.uniqueArray(items, { ...size, selector: (item) => String(item).trim() })
      : fc.array(items, size);
  }
  if (type === 'object') return objectOf(schema, depth);
  const fitting = byFormat[schema.format as string];
  const pattern = schema.pattern as string | undefined;
  const at = { minLength, maxLength: Math.min(maxLength, Math.max(30, minLength)) };
  const text = fc.oneof(
    { weight: 9, arbitrary: fc.string({ unit: character, ...at }) },
    { weight: 1, arbitrary: fc.constant('x'.repeat(Math.min(maxLength, 20_000))) },
  );
  const right = (value: unknown) => !pattern || new RegExp(pattern, 'u').test(value as string);
  const fits = (value: unknown) => right(value) && (value as string).length >= minLength;
  if (fitting) return fitting.filter(fits);
  if (pattern && pattern !== '\\S')
    return fc
      .stringMatching(new RegExp(pattern))
      .filter((value) => value.length <= maxLength && !/[\0\ud800-\udfff]/.test(value));
  return text.filter(fits);
}

function objectOf(schema: Schema, depth: number): Any {
  const { minProperties = 0, additionalProperties } = schema as {
    minProperties?: number;
    additionalProperties?: Schema;
  };
  const properties = Object.entries(schema.properties ?? {}).filter(([, value]) => (value as unknown) !== false);
  const required = (schema.required ?? []) as string[];
  const known = properties.filter(([key]) => depth < 5 || required.includes(key));
  if (properties.length === 0 || minProperties > 0) {
    const value = validFor((additionalProperties as { not?: object } | undefined)?.not ? { type: 'string' } : true);
    return fc.dictionary(
      fc.string({ minLength: 1, maxLength: 10 }).filter((key) => key !== '__proto__' && !/\0/.test(key)),
      value,
      { minKeys: minProperties, maxKeys: 3 },
    );
  }
  const shape = Object.fromEntries(known.map(([key, value]) => [key, validFor(value as Schema, depth + 1)]));
  return fc.record(shape, { requiredKeys: required.filter((key) => key in shape), noNullPrototype: true });
}

/** A schema for values that satisfy both; `others` are parts that must not match too. */
function both(one: Schema, part: Schema, others: Schema[] = []): Schema {
  const merged = { ...one } as Schema;
  const apart = others.filter((other) => other !== part).flatMap(({ required }) => (required ?? []) as string[]);
  for (const [key, value] of Object.entries(part)) {
    if (key === 'properties')
      merged.properties = mergeProperties(one.properties ?? {}, value as Record<string, Schema>);
    else if (key === 'required')
      merged.required = [...new Set([...((one.required ?? []) as string[]), ...(value as string[])])];
    else if (key === 'not')
      merged.properties = without(merged.properties ?? {}, ((value as Schema).required ?? []) as string[]);
    else if ((key === 'anyOf' || key === 'allOf') && one[key])
      merged.allOf = [...((merged.allOf ?? []) as Schema[]), { [key]: value } as Schema];
    else if (key === 'type') merged.type = narrower(one.type, value as Schema['type']);
    else if (key === 'enum' && one.enum) merged.enum = one.enum.filter((item) => (value as unknown[]).includes(item));
    else if (key !== 'items' || !one.items) merged[key] = value;
  }
  return { ...merged, properties: without(merged.properties ?? {}, apart) } as Schema;
}

function narrower(one: Schema['type'], other: Schema['type']): Schema['type'] {
  if (!one) return other;
  const common = [one].flat().filter((type) => [other].flat().includes(type));
  return common.length === 1 ? common[0] : common;
}

const mergeProperties = (one: Record<string, JsonSchema>, other: Record<string, Schema>) =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((key) => {
      const [mine, theirs] = [one[key] as Schema | undefined, other[key]];
      if (!mine || !theirs) return [key, mine ?? theirs];
      if ((theirs as unknown) === false) return [key, false];
      return [key, narrowed(resolved(mine) as Schema, theirs)];
    }),
  ) as Record<string, JsonSchema>;

/** A nullable schema, narrowed to exclude null. */
function narrowed(mine: Schema, theirs: Schema): Schema {
  const choices = mine.anyOf as Schema[] | undefined;
  const object = choices?.find(({ type }) => type !== 'null');
  return choices?.length === 2 && object && theirs.type && theirs.type !== 'null'
    ? both(object, theirs)
    : both(mine, theirs);
}

const without = (properties: Record<string, JsonSchema>, keys: string[]) =>
  Object.fromEntries(Object.entries(properties).filter(([key]) => !keys.includes(key)));
