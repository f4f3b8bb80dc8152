import type { Context, Services } from '../../context.ts';
import type { Prisma, Turn } from '../../database/generated/prisma/client.ts';
import type { Captured } from '../leads/captured-lead.ts';
import { failTurn } from './end.ts';
import { interrupted } from './failure.ts';
import { capture } from './lead.ts';

/** How many dead turns one sweep buries. */
const sweepSize = 200;

/**
 * Ends the turns whose process has died, each once, however many sweep: what the caller said stays, with its lead;
 * conversation, key and interaction are given back. Answers how many it ended.
 */
export async function sweepTurns(services: Services, where: Prisma.TurnWhereInput = {}): Promise<number> {
  const dead = await services.database.turn.findMany({
    where: { state: 'open', aliveUntil: { lte: await services.leaseTime() }, ...where },
    orderBy: { aliveUntil: 'asc' },
    take: sweepSize,
  });
  let count = 0;
  for (const turn of dead) {
    const ended = await failOrphanedTurn(services, turn).catch((error: unknown) => {
      services.log.error({ err: error, turnId: turn.id }, 'a dead turn could not be ended yet');
      return false;
    });
    if (ended) count += 1;
  }
  return count;
}

/** Does so for all of them, and tells the log. */
export async function endOrphanedTurns(services: Services): Promise<void> {
  const count = await sweepTurns(services);
  if (count > 0) services.log.info({ count }, 'Turns that a dead process had left open were ended');
}

/** Ends a turn whose process has died. Answers false for one that lives, or has ended. */
export async function failOrphanedTurn(services: Services, turn: Turn): Promise<boolean> {
  if (turn.state !== 'open' || turn.aliveUntil > (await services.leaseTime())) return false;
  const { workspaceId } = turn;
  const nobody = { userId: null, membershipId: null, appId: null };
  const context: Context = { ...services, viewer: { workspaceId, role: 'owner', credential: 'operator', ...nobody } };
  // What is answered anew has been heard before.
  const captured = turn.regenerates ? null : await capturedBefore(context, turn);
  return failTurn(context, turn, { error: interrupted(), captured, called: [], unwritten: null });
}

/** What the visitor told of themselves in the messages of a turn. */
async function capturedBefore({ database }: Context, turn: Turn): Promise<Captured | null> {
  const { workspaceId, conversationId, heardFrom, heardTo } = turn;
  const said = await database.message.findMany({
    where: { workspaceId, conversationId, role: 'user', position: { gte: heardFrom, lte: heardTo } },
    orderBy: { position: 'asc' },
    select: { content: true, conversation: { select: { context: true } } },
  });
  const utm = (said[0]?.conversation.context as { utm?: object } | undefined)?.utm ?? null;
  return capture(
    said.map(({ content }) => content),
    utm,
  );
}

/**
 * Has the turns of the process before end with the next sweep, and its keys be taken over, on a database that one process
 * alone may use: whatever is open when it starts is dead.
 */
export async function expireLeases({ pool }: Services): Promise<void> {
  // As SQL: this stands in the way of every start, which then need not wait for Prisma to compile a query.
  await pool.query(`
    UPDATE "Turn" SET "aliveUntil" = clock_timestamp() WHERE "state" = 'open';
    UPDATE "Idempotency" SET "aliveUntil" = clock_timestamp() WHERE "aliveUntil" > clock_timestamp()`);
}

/** Takes away turns, idempotency keys and streams whose time is over. */
export async function clearTurns({ database, now }: Services): Promise<void> {
  const over = { lte: now() };
  await database.turnBatch.deleteMany({ where: { turn: { streamUntil: over, state: { not: 'open' } } } });
  await database.turn.updateMany({ where: { streamUntil: over, state: { not: 'open' } }, data: { streamUntil: null } });
  await database.idempotency.deleteMany({ where: { expiresAt: over } });
  await database.turn.deleteMany({ where: { expiresAt: over, state: { not: 'open' } } });
}
