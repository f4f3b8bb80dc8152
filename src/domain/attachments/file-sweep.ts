import type { Services } from '../../context.ts';
import { type Attachment, storeAttachment } from './attachments.ts';
import { keyOf } from './stored-files.ts';

const batchSize = 100;
const moveSize = 10;

/**
 * Deletes files that nothing refers to: those of deleted messages and of failed requests. The row is deleted after its
 * object, so that the next sweep, on any replica, completes an interrupted one.
 */
export async function sweepFiles({ database, storage, now }: Services): Promise<void> {
  await storage.cleanUp();
  for (;;) {
    // Without a hash, new messages cannot find the file. A request that is about to use it has postponed its `checkAt`.
    const examined = await database.$executeRaw`
      UPDATE "StoredFile" SET "checkAt" = NULL, "hash" = CASE WHEN EXISTS (
        SELECT FROM "MessageFile" used
        WHERE used."workspaceId" = "StoredFile"."workspaceId" AND used."fileId" = "StoredFile"."id"
      ) THEN "hash" END
      WHERE ("workspaceId", "id") IN (
        SELECT "workspaceId", "id" FROM "StoredFile" WHERE "checkAt" <= ${now()} ORDER BY "checkAt" LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
      )`;
    if (examined < batchSize) break;
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
      await database.$executeRaw`
        UPDATE "Message" SET "attachments" = ${JSON.stringify(moved)}::jsonb
        WHERE "workspaceId" = ${workspaceId} AND "id" = ${id}`;
    }
    count += rows.length;
    last = rows.at(-1)?.id ?? '';
    if (rows.length < moveSize) break;
  }
  if (count > 0) log.info({ count }, 'Attachments stored inside messages were moved to the attachment storage');
}
