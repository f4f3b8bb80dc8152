import type { Services } from '../../context.ts';
import { type Database, transact } from '../../database/client.ts';
import { inWorkspaces } from '../../database/upkeep/batches.ts';
import { type Attachment, storeAttachment } from './attachments.ts';
import { FilesGone, keyOf, lockStoredFiles } from './stored-files.ts';

const batchSize = 100;
const moveSize = 10;

/**
 * Deletes files that nothing refers to: those of deleted messages and of failed requests. The row is deleted after its
 * object, so that the next sweep, on any replica, completes an interrupted one.
 */
export async function sweepFiles({ database, storage, now }: Services): Promise<void> {
  await storage.cleanUp();
  for (;;) {
    if ((await examineFiles(database, now())) < batchSize) break;
  }
  for (;;) {
    const unused = await database.storedFile.findMany({ where: { hash: null }, take: batchSize });
    for (const file of unused) {
      await storage.delete(keyOf(file));
      await database.storedFile.deleteMany({ where: { workspaceId: file.workspaceId, id: file.id, hash: null } });
    }
    if (unused.length < batchSize) return;
  }
}

/**
 * Takes the hash from files that no message holds: new messages cannot find them any more. Messages that are being
 * stored lock theirs (`lockStoredFiles`). Returns how many files it examined.
 */
async function examineFiles(database: Database, time: Date): Promise<number> {
  const due = await database.$queryRaw<{ workspaceId: string; id: string }[]>`
    SELECT "workspaceId", "id" FROM "StoredFile" WHERE "checkAt" <= ${time} ORDER BY "checkAt" LIMIT ${batchSize}`;
  return inWorkspaces(due, (workspaceId, files) =>
    transact(database, async (tx) => {
      const locked = await tx.$queryRaw<{ id: string }[]>`
        SELECT "id" FROM "StoredFile" WHERE "workspaceId" = ${workspaceId}
          AND "id" = ANY (${files.map(({ id }) => id)}::text[]) AND "checkAt" <= ${time} FOR UPDATE SKIP LOCKED`;
      // A statement of its own, which sees messages that were stored before the files were locked.
      return tx.$executeRaw`
        UPDATE "StoredFile" AS file SET "checkAt" = NULL, "hash" = CASE WHEN EXISTS (
          SELECT FROM "MessageFile" used WHERE used."workspaceId" = ${workspaceId} AND used."fileId" = file."id"
        ) THEN "hash" END
        WHERE "workspaceId" = ${workspaceId} AND "id" = ANY (${locked.map(({ id }) => id)}::text[])`;
    }),
  );
}

type Row = { id: string; workspaceId: string; attachments: (Attachment & { data?: string })[] };

/** Moves the bytes of older attachments from their messages into the storage. */
export async function moveAttachments(services: Services): Promise<void> {
  const { database, log } = services;
  let count = 0;
  for (let last = ''; ; ) {
    // This condition matches a partial index, so it costs nothing if there are none.
    const rows = await database.$queryRaw<Row[]>`
      SELECT "id", "workspaceId", "attachments" FROM "Message"
      WHERE jsonb_path_exists("attachments", '$[*].data') AND "id" > ${last} ORDER BY "id" LIMIT ${moveSize}`;
    for (const { id, workspaceId, attachments } of rows) {
      const moved: Attachment[] = [];
      for (const attachment of attachments) moved.push(await storeAttachment(services, workspaceId, attachment));
      await transact(database, async (tx) => {
        await lockStoredFiles(
          tx,
          workspaceId,
          moved.flatMap(({ file }) => file ?? []),
        );
        await tx.$executeRaw`
          UPDATE "Message" SET "attachments" = ${JSON.stringify(moved)}::jsonb
          WHERE "workspaceId" = ${workspaceId} AND "id" = ${id}`;
      }).catch((error: unknown) => {
        // The bytes are still in the message: the next round moves them.
        if (!(error instanceof FilesGone)) throw error;
      });
    }
    count += rows.length;
    last = rows.at(-1)?.id ?? '';
    if (rows.length < moveSize) break;
  }
  if (count > 0) log.info({ count }, 'Attachments stored inside messages were moved to the attachment storage');
}
