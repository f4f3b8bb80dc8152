import { GraphQLError } from 'graphql';

/** Every error code that a caller can receive, with its HTTP status. */
export const statusOf = {
  invalid_request: 400,
  unknown_tool_call: 400,
  unauthorized: 401,
  token_expired: 401,
  subscription_inactive: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  conversation_busy: 409,
  request_in_progress: 409,
  reauthorization_required: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  content_filtered: 422,
  model_refused: 422,
  context_overflow: 422,
  rate_limited: 429,
  usage_limit_exceeded: 429,
  internal_error: 500,
  model_error: 502,
  unavailable: 503,
  model_timeout: 504,
} as const;

export type ErrorCode = keyof typeof statusOf;
type Issue = { message: string };
export type ErrorBody = { message: string; code: ErrorCode; issues?: Issue[] };
type Options = {
  issues?: Issue[];
  headers?: Record<string, string>;
  cause?: unknown;
  /** The row's current state, when the caller's version of it is outdated; exposed by GraphQL only. */
  current?: unknown;
};

/**
 * The service's only error class for callers. Its message says what is wrong and what to do, and never contains SQL, a
 * stack trace, a secret or another workspace's data. GraphQL exposes `code` and `issues` in `extensions`.
 */
export class ParleyError extends GraphQLError {
  readonly code: ErrorCode;
  readonly issues: Issue[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, { issues, headers = {}, cause, current }: Options = {}) {
    super(message, {
      extensions: {
        code,
        ...(issues && { issues }),
        ...(current !== undefined && { current }),
        http: { status: statusOf[code], headers },
      },
      ...(cause instanceof Error && { originalError: cause }),
    });
    // Yoga passes an error on to the caller only under this name.
    this.name = 'GraphQLError';
    this.code = code;
    this.issues = issues;
    this.headers = headers;
  }

  get status(): number {
    return statusOf[this.code];
  }

  get body(): ErrorBody {
    return { message: this.message, code: this.code, ...(this.issues && { issues: this.issues }) };
  }
}

/** Truncates a message of graphql: some repeat the caller's value, however long it is. */
export const truncate = (text: string): string => (text.length > 500 ? `${text.slice(0, 500).toWellFormed()}…` : text);

/** 400 `invalid_request`. Each issue names the offending key. */
export function invalid(issues: string | string[]): ParleyError {
  const list = [issues].flat().map((message) => ({ message }));
  const message = list.length === 1 && list[0] ? list[0].message : 'The request is not valid: see issues.';
  return new ParleyError('invalid_request', message, { issues: list });
}

/** The name of a type as words, `WebhookDelivery` → "Webhook delivery"; other texts unchanged. */
export const readableName = (model: string): string =>
  /^[A-Z]\w*$/.test(model) ? model.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : model;

/** 404 `not_found`; also for another workspace's row, whose existence must not be revealed. */
export const notFound = (what: string): ParleyError => new ParleyError('not_found', `${readableName(what)} not found.`);

/** 405 `method_not_allowed`; `allow` is the value of the Allow header. */
export const methodNotAllowed = (allow: string): ParleyError =>
  new ParleyError('method_not_allowed', `This path only accepts ${allow}.`, { headers: { allow } });

/** 409 `conflict`. */
export const conflict = (message: string): ParleyError => new ParleyError('conflict', message);

/** 403 `forbidden`. */
export const forbidden = (message: string): ParleyError => new ParleyError('forbidden', message);

/**
 * The message of an unexpected failure where it is stored, or there is no response whose X-Request-Id would name it.
 */
export const failedUnexpectedly = 'The gateway failed unexpectedly, and its log says why.';

/** 500 `internal_error`: an unexpected failure, which whoever creates this logs. */
export const internalError = (cause?: unknown): ParleyError =>
  new ParleyError(
    'internal_error',
    'The gateway failed unexpectedly, and its log says why: tell its operator the X-Request-Id of this response.',
    { cause },
  );

/** 401 `unauthorized` or `token_expired`. */
export function unauthorized(
  message: string,
  code: 'unauthorized' | 'token_expired' = 'unauthorized',
  cause?: Error,
): ParleyError {
  const detail = code === 'token_expired' ? 'Bearer error="invalid_token"' : 'Bearer';
  return new ParleyError(code, message, { headers: { 'www-authenticate': detail }, cause });
}
