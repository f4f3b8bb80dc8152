import { addressOf } from '../../config/config.ts';
import type { Services } from '../../context.ts';
import type { StoredFile } from '../../database/generated/prisma/client.ts';
import { mediaTypeOf } from '../../storage/media-type.ts';
import type { MessageInput } from '../turns/input.ts';
import { keepBytes, keyOf } from './stored-files.ts';

/** An attachment as it stands in a message: `file` names the bytes that are in the storage. */
export type Attachment = Omit<NonNullable<MessageInput['attachments']>[number], 'data'> & { file?: string };
/** One of before the storage was there, whose bytes stand in the row until a job has moved them. */
type InRow = Attachment & { data?: string | null };

/** A link is good for a day, and the same for an hour, so that browsers can keep what it leads to. */
const quantum = 3_600;
const quanta = 25;

/** An attachment with its bytes in the storage, and with the size and, of images and sounds, the type that they have. */
export async function keepAttachment(services: Services, workspaceId: string, given: InRow): Promise<Attachment> {
  const { data, ...attachment } = given;
  if (!data) return attachment;
  const bytes = Buffer.from(data, 'base64');
  const { id } = await keepBytes(services, workspaceId, bytes);
  const mimeType = (attachment.type !== 'file' && mediaTypeOf(bytes)) || attachment.mimeType || null;
  return { ...attachment, mimeType, size: bytes.length, file: id };
}

type Linking = Pick<Services, 'config' | 'secrets' | 'now'>;

/**
 * The attachments of a message as callers see them, each with all of its keys: what nobody said of one is null. Those that
 * the service keeps have a link as their `url`.
 */
export function shownAttachments(linking: Linking, { id, attachments }: { id: string; attachments: unknown }): unknown {
  if (!Array.isArray(attachments)) return attachments;
  return attachments.map((given: unknown, place) => {
    if (!isAttachment(given)) return given;
    const { type, url, mimeType = null, name = null, size = null, data, file } = given;
    return { type, url: url ?? (data || file ? linkTo(linking, id, place) : null), mimeType, name, size };
  });
}

const isAttachment = (given: unknown): given is InRow => typeof given === 'object' && given !== null && 'type' in given;

const pathOf = (messageId: string, place: number | string) => `/files/${messageId}/${place}`;
const signedText = (path: string, expires: number | string) => `${path}?expires=${expires}`;

function linkTo({ config, secrets, now }: Linking, messageId: string, place: number): string {
  const expires = (Math.floor(now().getTime() / 1_000 / quantum) + quanta) * quantum;
  const text = signedText(pathOf(messageId, place), expires);
  return `${addressOf(config)}${text}&signature=${secrets.sign('file links', text)}`;
}

/** What a link leads to. `file`: its bytes are in the storage; else they are here. */
export type Linked = { attachment: Attachment } & (
  | { file: StoredFile; bytes?: never }
  | { bytes: Buffer; file?: never }
);
export type Link = { messageId: string; place: string; expires: string; signature: string };

/** The attachment that a link names; null for a link that nobody has signed, that is over, or whose message is gone. */
export async function findLinked(services: Services, link: Link): Promise<Linked | null> {
  const { messageId, place, expires, signature } = link;
  if (!services.secrets.isSigned('file links', signedText(pathOf(messageId, place), expires), signature)) return null;
  if (Number(expires) * 1_000 <= services.now().getTime()) return null;
  const message = await services.database.message.findUnique({
    where: { id: messageId },
    select: { workspaceId: true, attachments: true },
  });
  const given = (message?.attachments as InRow[] | undefined)?.[Number(place)];
  if (!message || !given) return null;
  const { data, ...attachment } = given;
  if (data) return { attachment, bytes: Buffer.from(data, 'base64') };
  const where = { workspaceId: message.workspaceId, id: given.file ?? '', stored: true };
  const file = await services.database.storedFile.findFirst({ where });
  return file && { attachment, file };
}

/** The bytes of an attachment, or some of them; null when they are gone. Throws 503. */
export async function openLinked(
  { storage }: Pick<Services, 'storage'>,
  { file, bytes }: Linked,
  range: { start: number; end: number } | null,
): Promise<ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null> {
  if (file) return storage.open(keyOf(file), range ?? undefined);
  return new Uint8Array(range ? bytes.subarray(range.start, range.end + 1) : bytes);
}
