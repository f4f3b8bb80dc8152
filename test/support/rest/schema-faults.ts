import fc from 'fast-check';
import { options } from '../random/seed.ts';
import { type JsonSchema, resolved } from './operations.ts';
import { valuesFor } from './schema-values.ts';

type Schema = JsonSchema & Record<string, unknown>;
/** A value with one change: `bad` at `path`; undefined removes the key. */
export type Fault = { path: (string | number)[]; bad: unknown; value: unknown };

/** Variants of a value with one change each, which are probably invalid; the caller has to check. */
export function faultsOf(schema: JsonSchema, value: unknown, path: Fault['path'] = []): Fault[] {
  const own = path.length === 0 ? [] : wrongFor(schema).map((bad) => ({ path, bad, value: bad }));
  if (Array.isArray(value)) {
    const [item] = partsOf(schema).flatMap(({ items }) => (items ? [items] : []));
    if (!item || value.length === 0) return own;
    const within = faultsOf(item, value[0], [...path, 0]);
    return [...own, ...within.map((fault) => ({ ...fault, value: [fault.value, ...value.slice(1)] }))];
  }
  if (typeof value !== 'object' || value === null) return own;
  const record = value as Record<string, unknown>;
  // Merge the properties of the parts with those of the whole, which take precedence.
  const properties = Object.assign(
    {},
    ...partsOf(schema)
      .map((part) => part.properties ?? {})
      .toReversed(),
  ) as Record<string, Schema>;
  const within = Object.entries(properties).flatMap(([key, property]) => {
    const at = [...path, key];
    const given = record[key] ?? exampleOf(property, at.join('.'));
    const inside = faultsOf(property, given, at).map((fault) => ({
      ...fault,
      value: { ...record, [key]: fault.value },
    }));
    const { [key]: _, ...without } = record;
    return [...inside, ...(key in record ? [{ path: at, bad: undefined, value: without }] : [])];
  });
  return [...own, ...within];
}

/** A valid value that is not null and, if possible, not empty. */
function exampleOf(schema: Schema, about: string): unknown {
  const size = (value: unknown) => JSON.stringify(value ?? null).length;
  const [found] = fc.sample(valuesFor(schema), options(20, about) as object).toSorted((a, b) => size(b) - size(a));
  return found;
}

/** A schema and its alternatives, with references resolved. */
function partsOf(given: JsonSchema): Schema[] {
  const schema = resolved(given) as Schema;
  return [schema, ...(schema.anyOf ?? []).flatMap(partsOf)];
}

function wrongFor(given: JsonSchema): unknown[] {
  const limits = partsOf(given) as Record<string, number>[];
  const max = (key: string) => Math.max(...limits.map((part) => part[key] ?? -1));
  const edge = (key: string, by: number) => limits.flatMap((part) => (part[key] === undefined ? [] : [part[key] + by]));
  const [item] = partsOf(given).flatMap(({ items }) => (items ? [items] : []));
  return [
    null,
    true,
    7,
    '',
    'no such value',
    [],
    {},
    ...(max('maxLength') > 0 ? ['x'.repeat(max('maxLength') + 1)] : []),
    ...(item && max('maxItems') > 0 ? [Array(max('maxItems') + 1).fill(exampleOf(item as Schema, 'item'))] : []),
    ...edge('minimum', -1),
    ...edge('maximum', 1),
  ];
}
