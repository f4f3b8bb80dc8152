import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { permit } from '../../core/permissions.ts';
import type { Database, Transaction } from '../../database/client.ts';
import type { ErasureReceipt } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { listRule } from '../../lists/list.ts';
import { recordEvent } from '../shared/audit-events.ts';
import { parseInput } from '../shared/input.ts';
import { erasureJob } from './job.ts';
import { findPerson, type Person, personInput } from './person.ts';
import { deletePerson, lockPerson } from './rows.ts';

export const receiptList = listRule({
  model: 'ErasureReceipt',
  permission: 'erasures.read',
  orders: { createdAt: { type: 'date' } },
  filters: {
    status: { kind: 'in', column: 'status' },
    ids: { kind: 'in', column: 'id' },
    createdAt: { kind: 'range', column: 'createdAt' },
  },
  groups: {
    moments: ['createdAt'],
    by: { status: { kind: 'value', column: 'status' } },
  },
});

const dayMs = 24 * 3_600_000;

/**
 * Erases a person: deletes all rows about them in one transaction, and queues the deletion of what is not in rows.
 * Somebody of whom nothing is stored gets a receipt, too. Throws 400, 404 for the conversation, and 409 while one of
 * their messages is being answered.
 */
export async function erasePerson(context: Context, input: z.input<typeof personInput>): Promise<ErasureReceipt> {
  permit(context, 'erasures.write');
  const known = parseInput(personInput, input);
  const { workspaceId } = context.viewer;
  return context.queue.transact(async (tx, enqueue) => {
    const person = await findPerson(tx, workspaceId, known);
    await lockPerson(tx, person);
    const sources = await sourcesOf(tx, person);
    const deleted = await deletePerson(tx, person);
    const { backupRetentionDays: days } = context.config;
    const time = context.now();
    const receipt = await tx.erasureReceipt.create({
      data: {
        id: newId('erasureReceipt'),
        workspaceId,
        deleted,
        sourceIds: sources.map(({ id }) => id),
        remains: leftBy(person, sources.length, days),
        backupsUntil: days === null ? null : new Date(time.getTime() + days * dayMs),
        createdAt: time,
      },
    });
    await recordEvent(
      { ...context, database: tx as Database },
      { action: 'erased', type: 'ErasureReceipt', rowId: receipt.id },
    );
    await enqueue([erasureJob(receipt)]);
    return receipt;
  });
}

/** Sources that answer a gap which they asked about. A member published them, so a member decides about them. */
const sourcesOf = (
  tx: Transaction,
  { workspaceId, conversationIds }: Person,
): Promise<{ id: string }[]> => tx.$queryRaw`
  SELECT DISTINCT source."id" FROM "GapQuestion" AS asked
  JOIN "Message" AS said ON said."workspaceId" = ${workspaceId} AND said."id" = asked."messageId"
  JOIN "Gap" AS gap ON gap."workspaceId" = ${workspaceId} AND gap."id" = asked."gapId"
  JOIN "Source" AS source ON source."workspaceId" = ${workspaceId} AND source."id" = gap."sourceId"
  WHERE asked."workspaceId" = ${workspaceId} AND said."conversationId" = ANY (${conversationIds}::text[])`;

function leftBy({ sharedCount }: Person, sourceCount: number, days: number | null): string[] {
  const left = [
    days === null
      ? 'Backups and archived write-ahead log contain the person until they are deleted. The operator has not said when (BACKUP_RETENTION_DAYS).'
      : `Backups and archived write-ahead log contain the person until they are deleted, after ${days} days.`,
  ];
  if (sourceCount > 0)
    left.push('Sources that answer a gap may quote a question of the person: review those in sourceIds.');
  if (sharedCount > 0)
    left.push(
      `${sharedCount} conversations without a lead were kept: conversations of other people have the same platform and user identifier. Erase those of the person by conversationId.`,
    );
  return left;
}
