import { createHash } from 'node:crypto';
import type { Services } from '../../context.ts';
import type { Transaction } from '../../database/client.ts';
import type { StoredFile } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';

/** A file was deleted between its upload and its message: it must be stored again. */
export class FilesGone extends Error {
  override name = 'FilesGone';
}

/** How long a file may wait for its message, in milliseconds; a turn waits half a minute at most. */
const unusedMs = 3_600_000;

/**
 * The storage key of a file. Workspaces never share one, and a file that is stored again after its deletion gets a new
 * one.
 */
export const keyOf = ({ workspaceId, id }: Pick<StoredFile, 'workspaceId' | 'id'>): string => `${workspaceId}/${id}`;

/**
 * Stores bytes for a message that is about to be written, once per workspace. The row is inserted before the object is
 * written, so that no object is orphaned by a crash. `text`: the text read from the file. Throws 503.
 */
export async function storeBytes(
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
  const where = { workspaceId_id: { workspaceId, id: file.id } };
  return database.storedFile.update({ where, data: { stored: true, ...(text !== null && { text }) } });
}

/** Keeps files from being deleted until the transaction ends, whose messages then hold them. Throws `FilesGone`. */
export async function lockStoredFiles(tx: Transaction, workspaceId: string, ids: string[]): Promise<void> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return;
  const held = await tx.$executeRaw`
    SELECT FROM "StoredFile" WHERE "workspaceId" = ${workspaceId} AND "id" = ANY (${wanted}::text[]) AND "hash" IS NOT NULL
    ORDER BY "id" FOR KEY SHARE`;
  if (held < wanted.length) throw new FilesGone('A file was deleted before its message was stored.');
}
