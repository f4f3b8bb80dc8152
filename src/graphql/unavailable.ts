import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ParleyError } from '../core/errors.ts';

type Body = { errors: { message: string; extensions: Record<string, unknown> }[] };

/** The body of a response to a request that failed as a whole: by GraphQL over HTTP, one without data may have the status of its error. */
export function bodyOfFailure({ message, code, issues }: ParleyError): Body {
  return { errors: [{ message, extensions: { code, ...(issues && { issues }) } }] };
}

/**
 * What could not be reached at all is answered as on REST: 503 with Retry-After, and no data, of which there is none. Where any
 * field of the root has its value, or another failure, the response is 200 with both: one failure leaves the others whole.
 */
export const tellUnavailable: Plugin = {
  onResultProcess({ result, setResult }) {
    const failure = 'errors' in result ? wholeFailure(result) : null;
    if (failure) setResult({ errors: [failure] });
  },
};

/** Why nothing could be reached; null when something was. */
function wholeFailure({ data, errors = [] }: ExecutionResult): ParleyError | null {
  const failures = errors.map(unavailableOf);
  const failed = new Set(errors.map(({ path }) => path?.[0]));
  const isNothing = ([key, value]: [string, unknown]) => (value === null ? failed.has(key) : isTypeName(value));
  if (!data || !failures.every(Boolean) || !Object.entries(data).every(isNothing)) return null;
  return failures[0] ?? null;
}

/** Nothing had to be reached for it. */
const isTypeName = (value: unknown): boolean => value === 'Query' || value === 'Mutation';

function unavailableOf({ originalError }: GraphQLError): ParleyError | null {
  return originalError instanceof ParleyError && originalError.code === 'unavailable' ? originalError : null;
}
