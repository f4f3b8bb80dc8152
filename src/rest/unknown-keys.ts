import { z } from 'zod';
import { closest } from 'fastest-levenshtein';

/** A key that the specification does not know, where it stood, and the known key that is nearest to it. */
export type UnknownKey = { path: string; nearest: string | null };

/** Finds the keys of a value that its schema does not know, at any depth. Open records know every key. */
export function unknownKeys(schema: z.core.$ZodType, value: unknown, path = ''): UnknownKey[] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => unknownKeys(inner.element, item, `${path}${index}.`));
  }
  if (!(inner instanceof z.ZodObject) || inner.def.catchall || value === null || typeof value !== 'object') return [];
  const known = Object.keys(inner.shape);
  return Object.entries(value).flatMap(([key, item]) => {
    const child = Object.hasOwn(inner.shape, key) ? inner.shape[key] : undefined;
    if (child) return unknownKeys(child, item, `${path}${key}.`);
    return [{ path: `${path}${key}`, nearest: known.length > 0 ? closest(key, known) : null }];
  });
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault) {
    inner = inner.unwrap() as z.core.$ZodType;
  }
  return inner;
}

/** The sentence of the `Warning` header and of the strict issue. */
export const describe = ({ path, nearest }: UnknownKey): string =>
  `${path}: is not known here${nearest ? `; the nearest known name is ${nearest}` : ''}`;
