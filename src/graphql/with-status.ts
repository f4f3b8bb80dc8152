import { type ErrorCode, statusOf } from '../core/errors.ts';

/** An error of a response, as the graph writes it. */
export type Failed = { extensions?: { code?: ErrorCode } };

/** A response with the status of the first of its errors: who asks by an address reads nothing else. */
export function withErrorStatus(errors: Failed[], response: Response): Response {
  const status = statusOf[errors[0]?.extensions?.code ?? 'internal_error'] ?? 500;
  return new Response(response.body, { status, headers: [...response.headers] });
}
