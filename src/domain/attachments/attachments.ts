import { addressOf } from '../../config/config.ts';
import type { Services } from '../../context.ts';
import type { StoredFile } from '../../database/generated/prisma/client.ts';
import { mediaTypeOf } from '../../storage/media-type.ts';
import type { MessageInput } from '../turns/input.ts';
import { keyOf, storeBytes } from './stored-files.ts';

/** An attachment as a message stores it. `file`: the id of its bytes in the storage. */
export type Attachment = Omit<NonNullable<MessageInput['attachments']>[number], 'data'> & { file?: string };
/** An older attachment, with its bytes in the row until a job has moved them. */
type InRow = Attachment & { data?: string | null };

/** A link is valid for about a day, and is the same for an hour, so that browsers can cache its target. */
const quantum = 3_600;
const quanta = 25;

/** Stores the bytes of an attachment. Returns it with their size and, for images and audio, their actual media type. */
export async function storeAttachment(services: Services, workspaceId: string, row: InRow): Promise<Attachment> {
  const { data, ...attachment } = row;
  if (!data) return attachment;
  const bytes = Buffer.from(data, 'base64');
  const { id } = await storeBytes(services, workspaceId, bytes);
  const mimeType = (attachment.type !== 'file' && mediaTypeOf(bytes)) || attachment.mimeType || null;
  return { ...attachment, mimeType, size: bytes.length, file: id };
}

type Linking = Pick<Services, 'config' | 'secrets' | 'now'>;

/**
 * The attachments of a message as callers see them: all keys are set, null if unknown. Stored ones have a signed link
 * as `url`.
 */
export function shownAttachments(
  linking: Linking,
  { workspaceId, id, attachments }: { workspaceId: string; id: string; attachments: unknown },
): unknown {
  if (!Array.isArray(attachments)) return attachments;
  return attachments.map((row: unknown, index) => {
    if (!isAttachment(row)) return row;
    const { type, url, mimeType = null, name = null, size = null, data, file } = row;
    return {
      type,
      url: url ?? (data || file ? linkTo(linking, { workspaceId, messageId: id }, index) : null),
      mimeType,
      name,
      size,
    };
  });
}

const isAttachment = (row: unknown): row is InRow => typeof row === 'object' && row !== null && 'type' in row;

/**
 * The path and query of a link, which its signature covers. They name the workspace, so that the message is found by
 * its key.
 */
const signedText = ({
  workspaceId,
  messageId,
  position,
  expires,
}: Record<keyof Omit<Link, 'signature'>, string | number>) =>
  `/files/${messageId}/${position}?workspace=${workspaceId}&expires=${expires}`;

function linkTo(
  { config, secrets, now }: Linking,
  key: Pick<Link, 'workspaceId' | 'messageId'>,
  position: number,
): string {
  const expires = (Math.floor(now().getTime() / 1_000 / quantum) + quanta) * quantum;
  const text = signedText({ ...key, position, expires });
  return `${addressOf(config)}${text}&signature=${secrets.sign('file links', text)}`;
}

/** The target of a link, either in the storage (`file`) or in memory (`bytes`). */
export type Linked = { attachment: Attachment } & (
  | { file: StoredFile; bytes?: never }
  | { bytes: Buffer; file?: never }
);
type Link = { workspaceId: string; messageId: string; position: string; expires: string; signature: string };

/**
 * Returns the attachment of a link; null if the signature is invalid, the link has expired, or the message does not
 * exist.
 */
export async function findLinked(services: Services, link: Link): Promise<Linked | null> {
  const { workspaceId, messageId, position, expires, signature } = link;
  if (!services.secrets.isSigned('file links', signedText(link), signature)) return null;
  if (Number(expires) * 1_000 <= services.now().getTime()) return null;
  const message = await services.database.message.findUnique({
    where: { workspaceId_id: { workspaceId, id: messageId } },
    select: { attachments: true },
  });
  const row = (message?.attachments as InRow[] | undefined)?.[Number(position)];
  if (!row) return null;
  const { data, ...attachment } = row;
  if (data) return { attachment, bytes: Buffer.from(data, 'base64') };
  const where = { workspaceId, id: row.file ?? '', stored: true };
  const file = await services.database.storedFile.findFirst({ where });
  return file && { attachment, file };
}

/** Returns the bytes of an attachment or a range of them; null if they no longer exist. Throws 503. */
export async function openLinked(
  { storage }: Pick<Services, 'storage'>,
  { file, bytes }: Linked,
  range: { start: number; end: number } | null,
): Promise<ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null> {
  if (file) return storage.open(keyOf(file), range ?? undefined);
  return new Uint8Array(range ? bytes.subarray(range.start, range.end + 1) : bytes);
}
