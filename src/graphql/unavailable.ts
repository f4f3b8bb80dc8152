import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ParleyError } from '../core/errors.ts';

type Body = { errors: { message: string; extensions: Record<string, unknown> }[] };

/** Returns the body of a response to a request that failed as a whole. */
export function bodyOfFailure({ message, code, issues }: ParleyError): Body {
  return { errors: [{ message, extensions: { code, ...(issues && { issues }) } }] };
}

/**
 * If nothing could be reached, the response is 503 with Retry-After and without data, as on REST. If any root field has
 * a value, or failed otherwise, the response stays 200 with both, since one failure must not spoil the others.
 */
export const reportUnavailable: Plugin = {
  onResultProcess({ result, setResult }) {
    const failure = 'errors' in result ? wholeFailure(result) : null;
    if (failure) setResult({ errors: [failure] });
  },
};

/** Returns why nothing could be reached; null if something was. */
function wholeFailure({ data, errors = [] }: ExecutionResult): ParleyError | null {
  const failures = errors.map(unavailableOf);
  const failed = new Set(errors.map(({ path }) => path?.[0]));
  const isNothing = ([key, value]: [string, unknown]) => (value === null ? failed.has(key) : isTypeName(value));
  if (!data || !failures.every(Boolean) || !Object.entries(data).every(isNothing)) return null;
  return failures[0] ?? null;
}

/** `__typename` needs no data source. */
const isTypeName = (value: unknown): boolean => value === 'Query' || value === 'Mutation';

function unavailableOf({ originalError }: GraphQLError): ParleyError | null {
  return originalError instanceof ParleyError && originalError.code === 'unavailable' ? originalError : null;
}
