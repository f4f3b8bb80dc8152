import type { Context } from '../context.ts';
import type { Database, Transaction } from '../database/client.ts';
import { eventOf, type Part, type TurnEvent } from './turn-parts.ts';

/** Readers may have been told some parts that their process died before writing: what ends the stream stands behind. */
const gap = 10_000;

/** Writes parts of a stream, the first of them at `position`. */
export async function saveParts(
  store: Database | Transaction,
  workspaceId: string,
  turnId: string,
  position: number,
  parts: Part[],
): Promise<void> {
  await store.turnBatch.create({ data: { workspaceId, turnId, position, parts: parts as object[] } });
}

/** The place behind all that is written of a stream, and with `told`, behind what its readers may have been told too. */
export async function behindLast(tx: Transaction, turnId: string, told: boolean): Promise<number> {
  const last = await tx.turnBatch.findFirst({ where: { turnId }, orderBy: { position: 'desc' } });
  return (last ? last.position + (last.parts as Part[]).length : 0) + (told ? gap : 0);
}

/** What is written of a stream, from a position on. */
export async function readParts({ database }: Context, turnId: string, position: number): Promise<TurnEvent[]> {
  const orderBy = { position: 'desc' as const };
  const before = await database.turnBatch.findFirst({ where: { turnId, position: { lte: position } }, orderBy });
  const batches = await database.turnBatch.findMany({
    where: { turnId, position: { gte: before?.position ?? 0 } },
    orderBy: { position: 'asc' },
  });
  return batches
    .flatMap((batch) => (batch.parts as Part[]).map((part, index) => eventOf(turnId, batch.position + index, part)))
    .filter((event) => event.position >= position);
}
