import type { Context, Services } from '../../context.ts';
import type { Prisma, Turn } from '../../database/generated/prisma/client.ts';
import type { Captured } from '../leads/captured-lead.ts';
import { asOperator } from '../shared/operator.ts';
import { failTurn } from './end.ts';
import { interrupted } from './failure.ts';
import { capture } from './lead.ts';

/** How many orphaned turns one sweep ends. */
const sweepSize = 200;

/**
 * Fails orphaned turns, whose process has died, each once even if several processes sweep. The caller's messages and
 * the lead are kept; conversation, key and interaction are released. Returns how many turns it ended.
 */
export async function sweepTurns(services: Services, where: Prisma.TurnWhereInput = {}): Promise<number> {
  const orphaned = await services.database.turn.findMany({
    where: { state: 'open', aliveUntil: { lte: await services.leaseTime() }, ...where },
    orderBy: { aliveUntil: 'asc' },
    take: sweepSize,
  });
  let count = 0;
  for (const turn of orphaned) {
    const ended = await failOrphanedTurn(services, turn).catch((error: unknown) => {
      services.log.error({ err: error, turnId: turn.id }, 'an orphaned turn could not be ended; trying again later');
      return false;
    });
    if (ended) count += 1;
  }
  return count;
}

/** Sweeps all workspaces and logs the count. */
export async function endOrphanedTurns(services: Services): Promise<void> {
  const count = await sweepTurns(services);
  if (count > 0) services.log.info({ count }, 'Turns left open by a process that died were ended');
}

/** Fails a turn whose process has died. Resolves to false if its lease is valid or it has ended. */
export async function failOrphanedTurn(services: Services, turn: Turn): Promise<boolean> {
  if (turn.state !== 'open' || turn.aliveUntil > (await services.leaseTime())) return false;
  const { workspaceId } = turn;
  const context = asOperator(services, workspaceId);
  // A regeneration answers messages that were already searched for contact details.
  const captured = turn.regenerates ? null : await capturedBefore(context, turn);
  return failTurn(context, turn, { error: interrupted(), captured, called: [], unwritten: null });
}

/** The contact details that the visitor gave in the messages of a turn. */
async function capturedBefore({ database }: Context, turn: Turn): Promise<Captured | null> {
  const { workspaceId, conversationId, heardFrom, heardTo } = turn;
  const messages = await database.message.findMany({
    where: { workspaceId, conversationId, role: 'user', position: { gte: heardFrom, lte: heardTo } },
    orderBy: { position: 'asc' },
    select: { content: true, conversation: { select: { context: true } } },
  });
  const utm = (messages[0]?.conversation.context as { utm?: object } | undefined)?.utm ?? null;
  return capture(
    messages.map(({ content }) => content),
    utm,
  );
}

/**
 * Expires all leases of turns and idempotency keys at startup, on a database that only one process may use: whatever is
 * still open is orphaned, and the next sweep ends it.
 */
export async function expireLeases({ pool }: Services): Promise<void> {
  // Plain SQL, since every start waits for it: Prisma would compile a query first.
  await pool.query(`
    UPDATE "Turn" SET "aliveUntil" = clock_timestamp() WHERE "state" = 'open';
    UPDATE "Idempotency" SET "aliveUntil" = clock_timestamp() WHERE "aliveUntil" > clock_timestamp()`);
}

/** Deletes turns, idempotency keys and streams that have expired. */
export async function clearTurns({ database, now }: Services): Promise<void> {
  const isExpired = { lte: now() };
  await database.turnBatch.deleteMany({ where: { turn: { streamUntil: isExpired, state: { not: 'open' } } } });
  await database.turn.updateMany({
    where: { streamUntil: isExpired, state: { not: 'open' } },
    data: { streamUntil: null },
  });
  await database.idempotency.deleteMany({ where: { expiresAt: isExpired } });
  await database.turn.deleteMany({ where: { expiresAt: isExpired, state: { not: 'open' } } });
}
