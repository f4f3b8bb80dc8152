import type { Context } from '../context.ts';
import type { TurnStream } from '../database/generated/prisma/client.ts';
import { ParleyError } from '../errors.ts';
import { type Claim, claimKey } from './idempotency.ts';
import { buryStream } from './turn-stream-store.ts';

/** A request whose key another try holds: that try's stream, and what a caller hears who cannot join it. */
type Held = { running: TurnStream; busy: ParleyError };

/**
 * Claims the key of a turn, from a process that died too. Answers the stream of the try that has it, when it is
 * streamed; throws 409 `request_in_progress` when it is not, and 422.
 */
export async function claimTurn(context: Context, key: string, request: unknown): Promise<Claim | Held> {
  try {
    return await claimKey(context, key, request);
  } catch (error) {
    if (!(error instanceof ParleyError) || error.code !== 'request_in_progress') throw error;
    const stream = await streamOfKey(context, key);
    if (!stream) throw error;
    if (stream.aliveUntil > new Date()) return { running: stream, busy: error };
    await buryStream(context, stream);
    return claimKey(context, key, request);
  }
}

/** The stream of the last try with a key that has not failed; null when none is kept. */
export const streamOfKey = ({ database, viewer }: Context, key: string): Promise<TurnStream | null> =>
  database.turnStream.findFirst({
    where: { workspaceId: viewer.workspaceId, key, expiresAt: { gt: new Date() }, state: { not: 'failed' } },
    orderBy: { createdAt: 'desc' },
  });
