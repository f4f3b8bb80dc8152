import { createHash } from 'node:crypto';
import type { Services } from '../../context.ts';
import type { StoredFile } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';

/** How long a file may wait for the message that it is for, in milliseconds; a turn waits half a minute at most. */
const unusedMs = 3_600_000;

/** Where the object of a file is: tenants never share one, and a file that is kept again after it went has another. */
export const keyOf = ({ workspaceId, id }: Pick<StoredFile, 'workspaceId' | 'id'>): string => `${workspaceId}/${id}`;

/**
 * Keeps bytes in the storage, for a message that is about to be written: once for a workspace, however often they come.
 * The row is there before the object, so that none is forgotten whenever the process dies. `text`: what was read of it.
 * Throws 503.
 */
export async function keepBytes(
  { database, storage, now }: Services,
  workspaceId: string,
  bytes: Uint8Array,
  text: string | null = null,
): Promise<StoredFile> {
  const hash = createHash('sha256').update(bytes).digest('hex');
  const checkAt = new Date(now().getTime() + unusedMs);
  const [file] = await database.$queryRaw<[StoredFile]>`
    INSERT INTO "StoredFile" ("id", "workspaceId", "hash", "size", "checkAt")
    VALUES (${newId('file')}, ${workspaceId}, ${hash}, ${bytes.length}, ${checkAt})
    ON CONFLICT ("workspaceId", "hash") DO UPDATE SET "checkAt" = EXCLUDED."checkAt"
    RETURNING *`;
  if (file.stored && (text === null || file.text !== null)) return file;
  if (!file.stored) await storage.put(keyOf(file), bytes, hash);
  return database.storedFile.update({ where: { id: file.id }, data: { stored: true, ...(text !== null && { text }) } });
}
