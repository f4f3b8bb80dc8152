import { runInNewContext } from 'node:vm';
import { type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';

/** A JSON schema given by a caller. */
type JsonSchema = Record<string, unknown>;

const maxIssues = 10;
/** Keywords whose errors only say that something nested is invalid, which is reported separately. */
const wrapperKeywords = new Set(
  '$ref $dynamicRef allOf if then else properties patternProperties dependentSchemas items prefixItems additionalItems'.split(
    ' ',
  ),
);
const limitMs = 500;

/**
 * Validates a value against a schema. Returns the issues in words; empty if valid. Throws `SchemaError` if the schema
 * is unusable: it has an unresolvable reference, or its patterns take too long.
 */
export function validateBySchema(schema: JsonSchema, value: unknown): string[] {
  const { valid, errors } = inTime(() => new Validator(schema as Schema, draftOf(schema), false).validate(value));
  if (valid) return [];
  const own = errors.filter(({ keyword }) => !wrapperKeywords.has(keyword));
  const lines = (own.length > 0 ? own : errors).map(
    ({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/, '/')}: ${error}`,
  );
  return [...new Set(lines)].slice(0, maxIssues);
}

/** A schema that cannot be used. The message is for the caller. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

/** Throws `SchemaError` if a schema cannot be used, as far as that shows without a value. */
export function checkSchema(schema: JsonSchema): void {
  for (const value of [null, {}, [], '', 0, true]) validateBySchema(schema, value);
}

/** Runs a validation with a timeout: patterns in a schema are untrusted code. */
function inTime<T>(check: () => T): T {
  try {
    return runInNewContext('check()', { check }, { timeout: limitMs }) as T;
  } catch (error) {
    const timedOut = error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    if (timedOut) throw new SchemaError('takes too long to check: simplify its patterns');
    const why = error instanceof Error ? (error.message.split('\n')[0]?.slice(0, 200) ?? '') : '';
    throw new SchemaError(`is not a JSON schema that can be checked (${why})`);
  }
}

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  const named = typeof $schema === 'string' ? $schema : '';
  if (named.includes('draft-04')) return '4';
  if (named.includes('draft-06') || named.includes('draft-07')) return '7';
  return named.includes('2019-09') ? '2019-09' : '2020-12';
}
