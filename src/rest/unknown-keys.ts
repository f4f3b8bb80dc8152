import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';

/** A key that the specification does not know, where it stood, and the known key that it may be a slip of. */
export type UnknownKey = { path: string; nearest: string | null };

const maxFound = 20;

/** Finds the keys of a value that its schema does not know, at any depth, the first 20. Open records know every key. */
export function unknownKeys(schema: z.ZodObject = noKeys, value: unknown): UnknownKey[] {
  return isEmpty(value) ? [] : [...search(schema, value, '').take(maxFound)];
}

const noKeys = z.object({});

const isEmpty = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || Object.keys(value).length === 0;

function* search(schema: z.core.$ZodType, value: unknown, path: string): Generator<UnknownKey> {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* search(inner.element, item, `${path}${index}.`);
  }
  if (!(inner instanceof z.ZodObject) || inner.def.catchall || value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) return;
  const known = Object.keys(inner.shape);
  for (const [key, item] of Object.entries(value)) {
    const child = Object.hasOwn(inner.shape, key) ? inner.shape[key] : undefined;
    if (child) yield* search(child, item, `${path}${key}.`);
    else yield { path: `${path}${key.slice(0, 100)}`, nearest: nearestOf(key.slice(0, 100), known) };
  }
}

/** A name of which at least half is right. */
function nearestOf(key: string, known: string[]): string | null {
  const nearest = closest(key, known);
  return nearest && distance(key, nearest) <= Math.min(key.length, nearest.length) / 2 ? nearest : null;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault) {
    inner = inner.unwrap();
  }
  return inner;
}

/** The sentence of the `Warning` header and of the strict issue. */
export const describe = ({ path, nearest }: UnknownKey): string =>
  `${path}: is not known here${nearest ? `; the nearest known name is ${nearest}` : ''}`;
