import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { Turn } from '../database/generated/prisma/client.ts';
import { type ErrorBody, invalid, notFound } from '../errors.ts';
import { KeyTaken } from './idempotency.ts';
import { address, knownTry } from './turn.ts';
import { resultOf } from './turn-delivery.ts';
import type { TurnInput } from './turn-input.ts';
import { endOf, eventOf, type Part, startOf, type TurnEvent } from './turn-parts.ts';
import { startTurn } from './turn-run.ts';
import { readParts } from './turn-stream-store.ts';
import { buryTurn } from './turn-sweep.ts';

export type { TurnEvent };

/** How often a reader looks for what another process writes, in milliseconds. */
const lookMs = 100;

/**
 * The turn of `sendMessage` as events, the last of which has its result. The turn runs to its end whether it is read or
 * not. `after`, the id of an event, takes the stream of the same request up behind it, for an hour and on any replica; a
 * repetition with the same key joins a turn that runs, from its start. Failures before the reply begins reject, later
 * ones are the last event. Throws what `sendMessage` throws, and 404 for a stream that is no more.
 */
export async function streamMessage(
  context: Context,
  input: TurnInput,
  after?: string | null,
): Promise<AsyncIterable<TurnEvent>> {
  const addressed = await address(context, input);
  if (after) {
    const resumed = await resume(context, addressed.fingerprint, after, Boolean(addressed.turn.idempotencyKey));
    if (resumed) return resumed;
  }
  for (;;) {
    const known = await knownTry(context, addressed);
    if (known && known.state !== 'failed') return follow(context, known, 0);
    const { live } = startTurn(context, addressed, true, known);
    try {
      await live.begun(context.config.streamPingMs);
      return live.read(0);
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
    }
  }
}

/** The stream behind an event. Null when the request is to be answered anew: the try failed, and was read to its end. */
async function resume(context: Context, fingerprint: string, after: string, keyed: boolean) {
  const [, id, place] = /^(msg_[0-9a-z]{26})\.(\d{1,9})$/.exec(after) ?? [];
  if (!id) throw invalid('after: must be the id of an event of this request');
  const where = { workspaceId: context.viewer.workspaceId, id, streamUntil: { gt: new Date() } };
  const turn = await context.database.turn.findFirst({ where });
  if (!turn && keyed) return null;
  if (!turn) throw notFound('The stream to resume, which is kept for an hour, was');
  if (turn.fingerprint !== fingerprint) throw invalid('after: is the id of an event of another request');
  const position = Number(place) + 1;
  if (turn.state === 'failed' && keyed && (await readParts(context, id, position)).length === 0) return null;
  return follow(context, turn, position);
}

/** The events of a turn from a position on: from memory when this process writes it, else from the database. */
function follow(context: Context, turn: Turn, position: number): AsyncGenerator<TurnEvent, void> {
  if (!turn.streamUntil || turn.streamUntil <= new Date()) return wait(context, turn.id);
  return context.turns.find(turn.id)?.live.read(position) ?? poll(context, turn.id, position);
}

async function* poll(context: Context, id: string, from: number): AsyncGenerator<TurnEvent, void> {
  for (let position = from; ; ) {
    // Its state is read first: what it wrote before it ended is there then.
    const turn = await context.database.turn.findUnique({ where: { id } });
    if (!turn) return;
    for (const event of await readParts(context, id, position)) {
      yield event;
      position = event.position + 1;
    }
    if (turn.state !== 'open') return;
    if (!(await buryTurn(context, turn))) await sleep(lookMs);
  }
}

/** The events of a turn that is not streamed, or whose hour is over: made of what it ended with. */
async function* wait(context: Context, id: string): AsyncGenerator<TurnEvent, void> {
  for (;;) {
    const turn = await context.database.turn.findUnique({ where: { id } });
    if (!turn) return;
    if (turn.state !== 'open') return yield* made(turn.id, await partsOf(context, turn));
    if (!(await buryTurn(context, turn))) await sleep(lookMs);
  }
}

async function partsOf({ database }: Context, turn: Turn): Promise<Part[]> {
  const { workspaceId, conversationId } = turn;
  const start = startOf(turn.id, conversationId);
  if (turn.state === 'failed') {
    const body = turn.failure as unknown as ErrorBody;
    return [start, { type: 'error', errorText: body.message, ...body }];
  }
  const where = { workspaceId, id: turn.id };
  const reply = (await database.message.findFirst({ where })) as Parameters<typeof endOf>[1];
  return [start, ...endOf(resultOf(turn), reply, false)];
}

function* made(id: string, parts: Part[]): Generator<TurnEvent, void> {
  for (const [position, part] of parts.entries()) yield eventOf(id, position, part);
}
