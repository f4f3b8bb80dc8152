import type { Logger } from 'pino';
import { type CauseLog, logCause } from '../../core/causes.ts';
import { failedUnexpectedly, ParleyError } from '../../core/errors.ts';
import { databaseError, databaseFailureCause } from '../../database/errors.ts';
import type { Turn } from '../../database/generated/prisma/client.ts';

/** The error that the caller sees. What caused it is logged. */
export function failureOf(error: unknown, log: CauseLog): ParleyError {
  if (error instanceof ParleyError) logCause(error, log);
  const known = error instanceof ParleyError ? error : databaseError(error);
  if (!known) log.error({ err: error }, 'unexpected failure of a turn');
  if (known?.code === 'unavailable' && known !== error) {
    log.error({ cause: databaseFailureCause(error), err: error }, 'the database failed');
  }
  return known ?? new ParleyError('internal_error', failedUnexpectedly);
}

/** A log whose lines have the ids of the turn. Hardly any turn has one: a child logger costs more than this. */
export const turnLog = (log: Logger, { id, workspaceId, agentId, conversationId }: Turn) => ({
  warn: (what: object, message: string) =>
    log.warn({ workspaceId, agentId, conversationId, turnId: id, ...what }, message),
});

/** 503: the turn was aborted, or its process died, after its messages were stored. */
export const interrupted = (): ParleyError =>
  new ParleyError(
    'unavailable',
    'The reply was interrupted. The messages are stored: send the request again with the same Idempotency-Key. ' +
      'Without a key, it would store them twice: ask for the reply alone, ' +
      'with `regenerate: "last"` of the GraphQL mutation sendMessage.',
    { headers: { 'retry-after': '1' } },
  );

/** 503: the process is leaving. */
export const leaving = (): ParleyError =>
  new ParleyError(
    'unavailable',
    'The gateway is stopping, and has not begun this request: send it again, with the same Idempotency-Key if it had one.',
    { headers: { 'retry-after': '1' } },
  );

export const busy = (): ParleyError =>
  new ParleyError(
    'conversation_busy',
    'Another message in this conversation is still being answered: wait for the reply, or stop it with the GraphQL mutation stopTurn.',
    {
      headers: { 'retry-after': '5' },
    },
  );
