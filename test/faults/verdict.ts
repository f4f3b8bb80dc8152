import { type ErrorCode, statusOf } from '../../src/core/errors.ts';
import type { Outcome, Reply } from './client.ts';

/** The longest wait of a request for the database, and the allowance for a busy machine. */
export const waitMs = 25_000;
const slackMs = 5_000;

/** Whether a write was acknowledged. */
export const isAcknowledged = ({ reply }: Outcome): boolean =>
  reply !== null && reply.status < 300 && !reply.body?.errors && reply.body !== undefined;

/** The code of a failure; null for a success, or without a code. */
export function codeOf({ reply }: Outcome): ErrorCode | null {
  return reply?.body?.code ?? reply?.body?.errors?.[0]?.extensions?.code ?? null;
}

/** Whether the outcome of a write is unknown. */
export const isOpen = (outcome: Outcome): boolean => outcome.reply === null || outcome.reply.status >= 500;

/**
 * Describes what is wrong with an outcome; null if nothing is. `mayBreak`: the gateway was killed meanwhile,
 * so a missing answer is fine.
 */
export function faultOf(outcome: Outcome, mayBreak = false): string | null {
  const { reply, error, ms, sent } = outcome;
  const what = sent.path.replace(/\/(\w+_\w+)/, '/…');
  if (!reply) return mayBreak ? null : `${what}: no answer (${error})`;
  if (ms > waitMs + slackMs) return `${what}: told after ${Math.round(ms / 1000)} s (${reply.status})`;
  const fault =
    reply.body === undefined ? 'no JSON' : sent.path === '/graphql' ? faultInGraph(reply) : faultInRest(reply);
  return fault && `${what}: ${fault} (${reply.status} ${codeOf(outcome) ?? reply.text.slice(0, 80)})`;
}

function faultInRest({ status, body, headers }: Reply): string | null {
  if (status < 300) return null;
  const keys = Object.keys(body);
  if (!keys.every((key) => ['message', 'code', 'issues'].includes(key))) return 'not in the error shape';
  if (typeof body.message !== 'string') return 'an error without a message';
  return faultOfCode(body.code, status, headers);
}

function faultInGraph({ status, body, headers }: Reply): string | null {
  if (!body.errors) return status === 200 && body.data ? null : 'neither data nor errors';
  for (const { message, extensions } of body.errors) {
    if (typeof message !== 'string') return 'an error without a message';
    const code = extensions?.code as ErrorCode;
    // With partial data, the status is 200.
    const expected = code in statusOf && status === 200 && code !== 'unavailable' ? statusOf[code] : status;
    const fault = faultOfCode(code, expected, headers);
    if (fault) return fault;
  }
  return null;
}

function faultOfCode(code: ErrorCode, status: number, headers: Headers): string | null {
  if (!(code in statusOf)) return 'an unknown code';
  if (statusOf[code] !== status) return `the status of ${code} is ${statusOf[code]}`;
  if (code === 'internal_error') return 'a failure that was not foreseen';
  if (code === 'unavailable' && !headers.get('retry-after')) return 'no Retry-After';
  return null;
}
