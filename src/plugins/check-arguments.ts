import { type Schema as CheckerSchema, Validator } from '@cfworker/json-schema';
import type { JsonValue } from '../model/types.ts';
import type { Schema } from './types.ts';

const maxIssues = 5;

/** Returns what is wrong with the arguments of a call, as a text for the model; null if they match the schema. */
export function argumentIssues(schema: Schema, args: JsonValue): string | null {
  const validator = new Validator(withoutPatterns(schema) as CheckerSchema, '2020-12', false);
  const { valid, errors } = validator.validate(args);
  if (valid) return null;
  // The innermost errors say what is wrong; outer ones only that something within is.
  const inner = errors.filter(
    ({ instanceLocation }) => !errors.some((other) => other.instanceLocation.startsWith(`${instanceLocation}/`)),
  );
  const lines = inner.map(
    ({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/, '') || 'arguments'}: ${error}`,
  );
  return [...new Set(lines)].slice(0, maxIssues).join('\n');
}

/** Removes patterns: a foreign regular expression may run for years. The API checks its own. */
function withoutPatterns(value: JsonValue, named = false): JsonValue {
  if (Array.isArray(value)) return value.map((one) => withoutPatterns(one));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => named || (key !== 'pattern' && key !== 'patternProperties'));
  return Object.fromEntries(kept.map(([key, held]) => [key, withoutPatterns(held, !named && key === 'properties')]));
}
