import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { synonymOf } from './parameter-synonyms.ts';

/** An unknown key with its path, and a clause on what to write instead; null if there is no suggestion. */
type UnknownKey = { path: string; hint: string | null };

const maxWarnings = 20;

/** Returns the first 20 unknown parameters of a query, with what other services mean by them. */
export const unknownParameters = (schema: z.ZodObject | undefined, query: object): UnknownKey[] =>
  unknownKeys(schema, query).map(({ path, hint }) => {
    const suggestion = synonymOf(path, Object.keys(schema?.shape ?? {}));
    return {
      path,
      hint: suggestion ? `the name here is ${suggestion.name}${suggestion.as ? `: ${suggestion.as}` : ''}` : hint,
    };
  });

/** Returns the first 20 unknown keys of a value, at any depth. Open records accept every key. */
export function unknownKeys(schema: z.ZodObject = noKeys, value: unknown): UnknownKey[] {
  return isEmpty(value) ? [] : [...search(schema, value, '').take(maxWarnings)];
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
    else yield { path: `${path}${key.slice(0, 100)}`, hint: hintFor(key.slice(0, 100), known) };
  }
}

function hintFor(key: string, known: string[]): string | null {
  const nearest = closest(key, known);
  return nearest && isSlip(key, nearest) ? `the closest known name is ${nearest}` : null;
}

/**
 * Whether at least two thirds of a name are right, or its letters are merely reordered. With half, `name` would match
 * `page`.
 */
const isSlip = (key: string, name: string): boolean =>
  distance(key, name) <= Math.min(key.length, name.length) / 3 || lettersOf(key) === lettersOf(name);
const lettersOf = (text: string): string => text.split('').sort().join('');

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault) {
    inner = inner.unwrap();
  }
  return inner;
}

/** Returns the text for the `Warning` header and for the error in strict mode. */
export const describe = ({ path, hint }: UnknownKey): string => `${path}: is unknown${hint ? `; ${hint}` : ''}`;
