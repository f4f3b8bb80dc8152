import { z } from 'zod';
import type { Context, Services } from '../../context.ts';
import type { Prisma, Turn } from '../../database/generated/prisma/client.ts';
import { batchSize, deleteExpired, inBatches, inWorkspaces } from '../../database/upkeep/batches.ts';
import type { Captured } from '../leads/captured-lead.ts';
import { asOperator } from '../shared/operator.ts';
import { failTurn } from './end.ts';
import { interrupted } from './failure.ts';
import { capture } from './lead.ts';
import type { TurnKey } from './types.ts';

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
  const { workspaceId, conversationId, inputFrom, inputTo } = turn;
  const messages = await database.message.findMany({
    where: { workspaceId, conversationId, role: 'user', position: { gte: inputFrom, lte: inputTo } },
    orderBy: { position: 'asc' },
    select: { content: true, conversation: { select: { context: true } } },
  });
  const context = z.object({ utm: z.record(z.string(), z.unknown()) }).safeParse(messages[0]?.conversation.context);
  const utm = context.data?.utm ?? null;
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
  const time = now();
  await inBatches(async () => {
    const due = await database.$queryRaw<TurnKey[]>`
      SELECT "workspaceId", "id" FROM "Turn" WHERE "streamUntil" <= ${time} AND "state" <> 'open' LIMIT ${batchSize}`;
    const cleared = await inWorkspaces(due, (workspaceId, turns) =>
      clearStreams(
        database,
        workspaceId,
        turns.map(({ id }) => id),
      ),
    );
    return cleared === 0 ? 0 : due.length;
  });
  await deleteExpired(database, 'Idempotency', time);
  await deleteExpired(database, 'Turn', time);
}

/** Deletes the streams of ended turns of a workspace. Returns of how many turns nothing is left. */
async function clearStreams(database: Services['database'], workspaceId: string, ids: string[]): Promise<number> {
  await inBatches(
    () => database.$executeRaw`
      WITH expired AS MATERIALIZED (
        SELECT "turnId", "position" FROM "TurnBatch" WHERE "workspaceId" = ${workspaceId} AND "turnId" = ANY (${ids}::text[])
        LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
      )
      DELETE FROM "TurnBatch" AS part USING expired
      WHERE part."workspaceId" = ${workspaceId} AND part."turnId" = expired."turnId" AND part."position" = expired."position"`,
  );
  return database.$executeRaw`
    WITH expired AS MATERIALIZED (
      SELECT "id" FROM "Turn" AS turn WHERE "workspaceId" = ${workspaceId} AND "id" = ANY (${ids}::text[])
        AND NOT EXISTS (
          SELECT FROM "TurnBatch" AS part WHERE part."workspaceId" = ${workspaceId} AND part."turnId" = turn."id"
        )
      FOR UPDATE SKIP LOCKED
    )
    UPDATE "Turn" AS turn SET "streamUntil" = NULL FROM expired
    WHERE turn."workspaceId" = ${workspaceId} AND turn."id" = expired."id"`;
}
