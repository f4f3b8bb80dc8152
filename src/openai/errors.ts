import { type ErrorCode, notFound, type ParleyError } from '../core/errors.ts';

/** Codes of OpenAI's on which its clients act; all others are the gateway's own. */
const codes: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'invalid_api_key',
  token_expired: 'invalid_api_key',
  rate_limited: 'rate_limit_exceeded',
  usage_limit_exceeded: 'insufficient_quota',
  subscription_inactive: 'insufficient_quota',
  context_overflow: 'context_length_exceeded',
  content_filtered: 'content_filter',
};

const types: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'authentication_error',
  token_expired: 'authentication_error',
  forbidden: 'permission_error',
  rate_limited: 'rate_limit_error',
  usage_limit_exceeded: 'insufficient_quota',
  subscription_inactive: 'insufficient_quota',
};

/** The graph's names of keys, as a caller of this door knows them. */
const names: Record<string, string> = {
  agentId: 'model',
  platformUserIdentifier: 'user',
  jsonSchema: 'response_format',
  format: 'response_format',
  chat: 'X-Parley-Conversation',
  conversationId: 'X-Parley-Conversation',
  idempotencyKey: 'Idempotency-Key',
};

type OpenAiError = { error: { message: string; type: string; param: string | null; code: string } };

/** An error in OpenAI's shape. `param` is the key at fault, if it is known. */
export function errorBodyOf(error: Pick<ParleyError, 'code' | 'message' | 'issues' | 'status'>): OpenAiError {
  const { code, status } = error;
  if (code === 'not_found' && error.message === notFound('Agent').message) {
    const message =
      'The model does not exist, or you may not use it: GET /v1/models lists the agents that you may use.';
    return { error: { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' } };
  }
  const issues = (error.issues ?? []).map(({ message }) => renamed(message));
  const [, param = null] = /^([\w-]+(?:\.\w+)*):/.exec(issues[0] ?? '') ?? [];
  return {
    error: {
      message: issues.length > 0 ? issues.join('; ') : error.message,
      type: types[code] ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
      param,
      code: codes[code] ?? code,
    },
  };
}

/** An error as a response. OpenAI's clients repeat 409, 429 and 5xx: not a quota, which no repetition fills. */
export function errorResponse(error: ParleyError): Response {
  const headers = new Headers(error.headers);
  if (error.code === 'usage_limit_exceeded') headers.set('x-should-retry', 'false');
  return Response.json(errorBodyOf(error), { status: error.status, headers });
}

const renamed = (issue: string): string =>
  issue.replace(/^(\w+)(?=[.:])/, (name) => (Object.hasOwn(names, name) ? (names[name] as string) : name));
