import type { Logger } from 'pino';
import type { Context } from '../context.ts';
import { type Database, type Transaction, transact } from '../database/client.ts';
import { databaseError } from '../database/errors.ts';
import type { TurnStream } from '../database/generated/prisma/client.ts';
import { uncountInteraction } from '../database/usage.ts';
import { ParleyError } from '../errors.ts';
import { claimMsOf } from './idempotency.ts';
import { eventOf, type Part, type TurnEvent } from './turn-parts.ts';

/** How long a process that says nothing is believed to live, and how long a stream is kept after its end. */
export const aliveMs = 15_000;
const keptMs = 3_600_000;
/** Readers may have been told some parts that their process died before writing: what ends the stream stands behind. */
const gap = 10_000;

export const keptUntil = (): Date => new Date(Date.now() + keptMs);

export type StreamKey = { id: string; agentId: string; key: string | null; fingerprint: string };

/** Writes that a turn is streamed, and takes away the streams whose hour is over. */
export async function createStream(
  { database, viewer }: Context,
  stream: StreamKey,
  conversationId: string,
  turnUntil: Date,
): Promise<void> {
  const { workspaceId } = viewer;
  const time = Date.now();
  await database.turnStream.deleteMany({ where: { expiresAt: { lte: new Date(time) } } });
  const times = { aliveUntil: new Date(time + aliveMs), expiresAt: keptUntil(), turnUntil };
  await database.turnStream.create({ data: { ...stream, workspaceId, conversationId, ...times } });
}

/** Writes parts of a stream, the first of them at `position`. */
export async function saveParts(
  store: Database | Transaction,
  workspaceId: string,
  streamId: string,
  position: number,
  parts: Part[],
): Promise<void> {
  await store.turnBatch.create({ data: { workspaceId, streamId, position, parts: parts as object[] } });
}

/** What is written of a stream, from a position on. */
export async function readParts({ database }: Context, streamId: string, position: number): Promise<TurnEvent[]> {
  const orderBy = { position: 'desc' as const };
  const before = await database.turnBatch.findFirst({ where: { streamId, position: { lte: position } }, orderBy });
  const batches = await database.turnBatch.findMany({
    where: { streamId, position: { gte: before?.position ?? 0 } },
    orderBy: { position: 'asc' },
  });
  return batches
    .flatMap((batch) => (batch.parts as Part[]).map((part, index) => eventOf(streamId, batch.position + index, part)))
    .filter((event) => event.position >= position);
}

/** Ends a running stream with a failure. One that another process has ended stays as it is. */
export async function endStream({ database, viewer }: Context, id: string, position: number, last: Part) {
  await transact(database, async (tx) => {
    const data = { state: 'failed' as const, month: null, expiresAt: keptUntil() };
    const own = await tx.turnStream.updateMany({ where: { id, state: 'running' }, data });
    if (own.count === 1) await saveParts(tx, viewer.workspaceId, id, position, [last]);
  });
}

/**
 * Ends the stream of a process that died, and gives back all that its turn holds: the conversation, the key, the
 * interaction. Does nothing when the process lives or another replica was faster.
 */
export async function buryStream(context: Context, stream: TurnStream): Promise<void> {
  const { database, now } = context;
  const { id, workspaceId, conversationId, key, turnUntil, month, createdAt } = stream;
  await transact(database, async (tx) => {
    const where = { id, state: 'running' as const, aliveUntil: { lte: new Date() } };
    const dead = await tx.turnStream.updateMany({
      where,
      data: { state: 'failed', month: null, expiresAt: keptUntil() },
    });
    if (dead.count === 0) return;
    const last = await tx.turnBatch.findFirst({ where: { streamId: id }, orderBy: { position: 'desc' } });
    const position = (last ? last.position + (last.parts as Part[]).length : 0) + gap;
    await saveParts(tx, workspaceId, id, position, [failurePart(interrupted(), context.log)]);
    await tx.conversation.updateMany({
      where: { workspaceId, id: conversationId, turnUntil },
      data: { turnUntil: null },
    });
    // A claim that a later try has taken since stays.
    const claimedUntil = { lte: new Date(createdAt.getTime() + claimMsOf(context)) };
    if (key)
      await tx.idempotency.updateMany({
        where: { workspaceId, key, answered: false, claimedUntil },
        data: { claimedUntil: null },
      });
    if (month) await uncountInteraction(tx, workspaceId, month, now());
  });
}

/** Frees a conversation from the turn of a process that died, when it was streamed. */
export async function buryDead(context: Context, conversationId: string): Promise<void> {
  const { database, viewer } = context;
  const dead = { state: 'running' as const, aliveUntil: { lte: new Date() } };
  const where = { workspaceId: viewer.workspaceId, conversationId, ...dead };
  for (const stream of await database.turnStream.findMany({ where })) await buryStream(context, stream);
}

const interrupted = (): ParleyError =>
  new ParleyError('unavailable', 'The reply was interrupted. What was said is kept: send it again with the same key.');

/** A failure as the part that ends a stream. The unforeseen is logged. */
export function failurePart(error: unknown, log: Pick<Logger, 'error'>): Part {
  const known = error instanceof ParleyError ? error : databaseError(error);
  if (!known) log.error({ err: error }, 'unexpected failure of a streamed turn');
  const { body } = known ?? new ParleyError('internal_error', 'Something went wrong on our side.');
  return { type: 'error', errorText: body.message, ...body };
}
