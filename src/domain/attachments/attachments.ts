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
export function shownAttachments(linking: Linking, { id, attachments }: { id: string; attachments: unknown }): unknown {
  if (!Array.isArray(attachments)) return attachments;
  return attachments.map((row: unknown, place) => {
    if (!isAttachment(row)) return row;
    const { type, url, mimeType = null, name = null, size = null, data, file } = row;
    return { type, url: url ?? (data || file ? linkTo(linking, id, place) : null), mimeType, name, size };
  });
}

const isAttachment = (row: unknown): row is InRow => typeof row === 'object' && row !== null && 'type' in row;

const pathOf = (messageId: string, place: number | string) => `/files/${messageId}/${place}`;
const signedText = (path: string, expires: number | string) => `${path}?expires=${expires}`;

function linkTo({ config, secrets, now }: Linking, messageId: string, place: number): string {
  const expires = (Math.floor(now().getTime() / 1_000 / quantum) + quanta) * quantum;
  const text = signedText(pathOf(messageId, place), expires);
  return `${addressOf(config)}${text}&signature=${secrets.sign('file links', text)}`;
}

/** The target of a link, either in the storage (`file`) or in memory (`bytes`). */
export type Linked = { attachment: Attachment } & (
  | { file: StoredFile; bytes?: never }
  | { bytes: Buffer; file?: never }
);
export type Link = { messageId: string; place: string; expires: string; signature: string };

/**
 * Returns the attachment of a link; null if the signature is invalid, the link has expired, or the message does not
 * exist.
 */
export async function findLinked(services: Services, link: Link): Promise<Linked | null> {
  const { messageId, place, expires, signature } = link;
  if (!services.secrets.isSigned('file links', signedText(pathOf(messageId, place), expires), signature)) return null;
  if (Number(expires) * 1_000 <= services.now().getTime()) return null;
  const message = await services.database.message.findUnique({
    where: { id: messageId },
    select: { workspaceId: true, attachments: true },
  });
  const row = (message?.attachments as InRow[] | undefined)?.[Number(place)];
  if (!message || !row) return null;
  const { data, ...attachment } = row;
  if (data) return { attachment, bytes: Buffer.from(data, 'base64') };
  const where = { workspaceId: message.workspaceId, id: row.file ?? '', stored: true };
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
