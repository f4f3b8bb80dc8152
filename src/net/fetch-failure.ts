import { PrivateAddress } from './public-address.ts';

/**
 * Why a fetch failed, in a message fit for users: at most a host, never a path, query, IP address or stack. `status` is
 * the HTTP status, if there was a response; `retryable` tells whether trying later may help.
 */
export class FetchFailure extends Error {
  override name = 'FetchFailure';
  readonly status: number | null;
  readonly retryable: boolean;
  /** How long the server asks to wait, in milliseconds, if it said. */
  readonly retryAfterMs: number | null;
  /** The message without advice to the operator, for a model. */
  readonly fact: string;

  constructor(
    fact: string,
    { status = null as number | null, retryable = false, retryAfterMs = null as number | null, advice = '' } = {},
  ) {
    super(advice ? `${fact}: ${advice}` : fact);
    this.fact = fact;
    this.status = status;
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }

  /** `retryAfter` is the `Retry-After` header, if sent: seconds or a date. */
  static ofStatus(status: number, retryAfter: string | null = null): FetchFailure {
    const retryable = status >= 500 || status === 408 || status === 429;
    const retryAfterMs = retryable ? millisecondsOf(retryAfter) : null;
    return new FetchFailure(`The page responded with ${status}`, { status, retryable, retryAfterMs });
  }
}

function millisecondsOf(retryAfter: string | null): number | null {
  if (!retryAfter?.trim()) return null;
  const seconds = Number(retryAfter);
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** Converts whatever a fetch threw to a `FetchFailure`. `timeoutMs` is set if the deadline had passed. */
export function fetchFailureOf(error: unknown, host: string, timeoutMs: number | null): FetchFailure {
  if (error instanceof FetchFailure) return error;
  if (timeoutMs !== null) {
    return new FetchFailure(`${host} did not answer within ${timeoutMs / 1000} seconds`, { retryable: true });
  }
  const causes = causesOf(error);
  if (causes.some((cause) => cause instanceof PrivateAddress))
    return new FetchFailure('The address is private', {
      advice: 'only the operator can allow its host (FETCH_ALLOW_HOSTS)',
    });
  const codes = causes.map((cause) => (cause as NodeJS.ErrnoException).code ?? '');
  if (codes.includes('ENOTFOUND')) return new FetchFailure(`${host} could not be found`, { retryable: true });
  if (codes.some((code) => /CERT|TLS|SSL|SELF_SIGNED|VERIFY/.test(code))) {
    return new FetchFailure(`${host} has no valid certificate`);
  }
  return new FetchFailure(`${host} could not be reached`, { retryable: true });
}

/** The error, its causes, and the errors of each address that was tried. */
function causesOf(error: unknown, depth = 0): Error[] {
  if (!(error instanceof Error) || depth > 5) return [];
  const inner = [error.cause, ...(error instanceof AggregateError ? error.errors : [])];
  return [error, ...inner.flatMap((cause) => causesOf(cause, depth + 1))];
}
