import type { Logger } from 'pino';
import { databaseError } from '../database/errors.ts';
import type { Turn } from '../database/generated/prisma/client.ts';
import { ParleyError } from '../errors.ts';

/** A failure of a turn as its caller hears of it. The unforeseen is logged. */
export function failureOf(error: unknown, log: Pick<Logger, 'error'>): ParleyError {
  const known = error instanceof ParleyError ? error : databaseError(error);
  if (!known) log.error({ err: error }, 'unexpected failure of a turn');
  return known ?? new ParleyError('internal_error', 'Something went wrong on our side.');
}

/** The log, which tells with each line whose turn it is of. */
export const turnLog = (log: Logger, { id, workspaceId, agentId, conversationId }: Turn): Logger =>
  log.child({ workspaceId, agentId, conversationId, turnId: id });
