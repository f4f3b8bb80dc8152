import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { TurnStream } from '../database/generated/prisma/client.ts';
import { newId } from '../database/ids.ts';
import { invalid, notFound } from '../errors.ts';
import type { ModelService } from '../model/service.ts';
import { type Claim, fingerprintOf } from './idempotency.ts';
import { type Addressed, address, answer, type TurnResult } from './turn.ts';
import { claimTurn, streamOfKey } from './turn-claim.ts';
import { createLive, type Live } from './turn-delivery.ts';
import type { TurnInput } from './turn-input.ts';
import { endOf, eventOf, type Part, startOf, type TurnEvent } from './turn-parts.ts';
import { buryStream, readParts } from './turn-stream-store.ts';

export type { TurnEvent };

/** How often a reader looks for what another process writes, in milliseconds. */
const lookMs = 100;

/** The streams that this process writes, by their ids. */
const live = new WeakMap<ModelService, Map<string, Live>>();

/**
 * The turn of `sendMessage` as events, the last of which has its result. The turn runs to its end whether it is read or
 * not. `after`, the id of an event, takes the stream of the same request up behind it, for an hour and on any replica; a
 * repetition with the same key joins a stream that runs, from its start. Failures before the reply begins reject, later
 * ones are the last event. Throws what `sendMessage` throws, and 404 for a stream that is no more.
 */
export async function streamMessage(
  context: Context,
  input: TurnInput,
  after?: string | null,
): Promise<AsyncIterable<TurnEvent>> {
  const addressed = await address(context, input);
  const key = addressed.turn.idempotencyKey ?? null;
  const fingerprint = fingerprintOf(addressed.request);
  if (after) {
    const resumed = await resume(context, fingerprint, after, key);
    if (resumed) return resumed;
  }
  const claim = key ? await claimTurn(context, key, addressed.request) : null;
  if (claim && 'running' in claim) return follow(context, claim.running, 0);
  if (claim?.answer) return replay(context, claim.key, claim.answer);
  return begin(context, addressed, fingerprint, claim);
}

/** Starts the turn, which goes on by itself, and waits until its reply begins. */
async function begin(context: Context, addressed: Addressed, fingerprint: string, claim: Claim | null) {
  const id = newId('message');
  const stream = createLive(context, { id, agentId: addressed.agent.id, key: claim?.key ?? null, fingerprint });
  const here = live.get(context.model) ?? new Map<string, Live>();
  live.set(context.model, here.set(id, stream));
  void answer(context, addressed, claim, stream.delivery)
    .catch((error: unknown) => stream.fail(error))
    .finally(() => here.delete(id));
  await stream.begun(context.config.streamPingMs);
  return stream.read(0);
}

/** The stream behind an event. Null when the request is to be answered anew: the try failed, and was read to its end. */
async function resume(context: Context, fingerprint: string, after: string, key: string | null) {
  const [, id, place] = /^(msg_[0-9a-z]{26})\.(\d{1,9})$/.exec(after) ?? [];
  if (!id) throw invalid('after: must be the id of an event of this request');
  const where = { workspaceId: context.viewer.workspaceId, id, expiresAt: { gt: new Date() } };
  const stream = await context.database.turnStream.findFirst({ where });
  if (!stream && key) return null;
  if (!stream) throw notFound('The stream to resume, which is kept for an hour, was');
  if (stream.fingerprint !== fingerprint) throw invalid('after: is the id of an event of another request');
  const position = Number(place) + 1;
  const failed = stream.state === 'failed' && key !== null;
  if (failed && (await readParts(context, id, position)).length === 0) return null;
  return follow(context, stream, position);
}

/** The events of a request that was answered: as they were, or when it was not streamed, made from the answer. */
async function replay(context: Context, key: string, result: TurnResult): Promise<AsyncIterable<TurnEvent>> {
  const stream = await streamOfKey(context, key);
  if (stream) return follow(context, stream, 0);
  const where = { workspaceId: context.viewer.workspaceId, id: { in: result.messageIds } };
  const reply = (await context.database.message.findFirst({ where })) as Parameters<typeof endOf>[1];
  const id = result.messageIds[0] ?? newId('message');
  return made([startOf(id, result.conversationId), ...endOf(result, reply, false)], id);
}

async function* made(parts: Part[], id: string): AsyncGenerator<TurnEvent, void> {
  for (const [position, part] of parts.entries()) yield eventOf(id, position, part);
}

/** The events of a stream from a position on: from memory when this process writes it, else from the database. */
function follow(context: Context, stream: TurnStream, position: number): AsyncGenerator<TurnEvent, void> {
  return live.get(context.model)?.get(stream.id)?.read(position) ?? poll(context, stream, position);
}

async function* poll(context: Context, { id }: TurnStream, from: number): AsyncGenerator<TurnEvent, void> {
  for (let position = from; ; ) {
    // Its state is read first: what it wrote before it ended is there then.
    const stream = await context.database.turnStream.findUnique({ where: { id } });
    if (!stream) return;
    for (const event of await readParts(context, id, position)) {
      yield event;
      position = event.position + 1;
    }
    if (stream.state !== 'running') return;
    if (stream.aliveUntil <= new Date()) await buryStream(context, stream);
    else await sleep(lookMs);
  }
}
