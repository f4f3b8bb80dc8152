import type { Services } from '../../context.ts';
import type { ErasureReceipt } from '../../database/generated/prisma/client.ts';
import { batchSize, withPauses } from '../../database/upkeep/batches.ts';
import { purgeDeletedRows } from '../../database/upkeep/purge.ts';
import type { Job, JobData } from '../../queue/kinds.ts';
import { mergeMessageSegments } from '../../search/messages/merging.ts';
import { sweepFiles } from '../attachments/file-sweep.ts';

/** The tables that a person's rows are deleted from. */
const tables =
  `AuditEntry Citation Conversation EvaluationCase EvaluationResult Gap GapProposal GapQuestion Idempotency Lead
  LeadValue Message MessageAlternative MessageFile MessageSegment MessageTerm MessageTrace OutboxEvent PluginCall ReachedStage StoredFile
  Turn TurnBatch WebhookDelivery`.split(/\s+/);

type ReceiptKey = Pick<ErasureReceipt, 'workspaceId' | 'id'>;

export const erasureJob = ({ workspaceId, id }: ReceiptKey): Job => ({
  name: 'erase',
  key: id,
  data: { workspaceId, receiptId: id },
});

/**
 * Finishes an erasure: deletes the objects of files, the postings of messages, and what deleted rows leave in the files
 * of the database. Records each step on the receipt, so a job that is retried goes on where it was. What the database
 * refuses is named on the receipt; the job rejects if the storage or the database fails.
 */
export async function finishErasure(
  services: Services,
  { workspaceId, receiptId }: JobData['erase'],
  signal: AbortSignal,
): Promise<void> {
  const { database, now, config, pool } = services;
  const key = { workspaceId_id: { workspaceId, id: receiptId } };
  const receipt = await database.erasureReceipt.findUnique({ where: key });
  if (!receipt || receipt.status === 'completed') return;
  const save = (data: Partial<ErasureReceipt>) => database.erasureReceipt.update({ where: key, data: data as object });
  if (!receipt.filesDeletedAt) {
    await sweepFiles(services);
    await save({ filesDeletedAt: now() });
  }
  if (!receipt.indexCleanedAt) {
    await mergeMessageSegments(database, workspaceId, signal);
    await save({ indexCleanedAt: now() });
  }
  signal.throwIfAborted();
  const { vacuumed, checkpointed, remains } = await purgeDeletedRows(pool, tables);
  await save({
    status: 'completed',
    vacuumedAt: vacuumed ? now() : null,
    checkpointedAt: checkpointed ? now() : null,
    completedAt: now(),
    remains: [...receipt.remains, ...remains, ...(config.storage.kind === 's3' ? [versions] : [])],
  });
}

const versions = 'If the bucket keeps versions of objects, the files of the person are among them until they expire.';

/** Queues the erasures that a job gave up, such as after a long outage of the storage. */
export async function resumeErasures({ database, queue }: Services): Promise<void> {
  let last: ReceiptKey | undefined = { workspaceId: '', id: '' };
  while (last) {
    const { workspaceId, id }: ReceiptKey = last;
    const open: ReceiptKey[] = await withPauses(async () => {
      const found = await database.$queryRaw<ReceiptKey[]>`
        SELECT "workspaceId", "id" FROM "ErasureReceipt"
        WHERE "status" = 'in_progress' AND ("workspaceId", "id") > (${workspaceId}, ${id})
        ORDER BY "workspaceId", "id" LIMIT ${batchSize}`;
      if (found.length > 0) await queue.transact((_tx, enqueue) => enqueue(found.map(erasureJob)));
      return found;
    });
    last = open[batchSize - 1];
  }
}
