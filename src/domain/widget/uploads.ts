import { z } from 'zod';
import { invalid } from '../../core/errors.ts';
import { mediaTypeOf } from '../../storage/media-type.ts';
import { readAttachment, whyTypeUnread } from '../attachments/refusal.ts';
import { keyOf, storeBytes } from '../attachments/stored-files.ts';
import { parseInput } from '../shared/input.ts';
import { findConversation } from './conversations.ts';
import type { Visitor } from './visitors.ts';

/** What a visitor may attach to a message: how many files, and how many bytes together. */
export const uploadLimits = { count: 5, bytes: 10_000_000 } as const;

const types = ['image', 'audio', 'file'] as const;
type Type = (typeof types)[number];

/** The kinds of files that the visitor's agent reads, and their limits. */
export const attachable = ({ agent, context }: Visitor) => ({
  types: types.filter((type) => whyTypeUnread(context, agent, { type }) === null),
  ...uploadLimits,
});

const upload = z.object({
  name: z.string().trim().min(1, 'must not be empty').max(200),
  conversationId: z.string().nullish(),
});

/** A stored file. `handle` stands for it in the visitor's next message, and is of no use to anybody else. */
type Upload = { handle: string; type: Type; name: string; size: number };

/**
 * Stores a file that the visitor is going to send; one that is not sent is deleted after an hour. Throws 400 if it is
 * empty, or if the agent cannot read it and no person answers in its place, 404 for the conversation, and 503.
 */
export async function storeUpload(visitor: Visitor, given: unknown, bytes: Uint8Array): Promise<Upload> {
  const { context, agent } = visitor;
  const { name, conversationId } = parseInput(upload, given);
  if (bytes.length === 0) throw invalid('The file is empty: attach one with content.');
  const type = typeOf(bytes);
  const status = conversationId ? (await findConversation(visitor, conversationId)).status : 'active';
  let text: string | null = null;
  if (status !== 'waiting_human') {
    const why = whyTypeUnread(context, agent, { type });
    const read = why ? { unread: why } : await readAttachment(context, agent, { type, name }, bytes);
    if ('unread' in read) throw invalid(`The file cannot be attached: ${read.unread}`);
    text = read.text;
  }
  const { id } = await storeBytes(context, agent.workspaceId, bytes, text);
  return { handle: handleOf(visitor, [id, type, name]), type, name, size: bytes.length };
}

const typeOf = (bytes: Uint8Array): Type =>
  types.find((type) => type !== 'file' && mediaTypeOf(bytes)?.startsWith(type)) ?? 'file';

type Content = [id: string, type: Type, name: string];
const purpose = 'widget uploads';
const signedText = ({ id }: Visitor, content: string) => `${id} ${content}`;

function handleOf(visitor: Visitor, content: Content): string {
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${text}.${visitor.context.secrets.sign(purpose, signedText(visitor, text))}`;
}

/** The attachments that handles of the visitor stand for. Throws 400, and 503 if the storage cannot be reached. */
export async function readUploads(visitor: Visitor, handles: string[]) {
  const { context, agent } = visitor;
  const attachments: { type: Type; name: string; data: string }[] = [];
  let total = 0;
  for (const [index, handle] of handles.entries()) {
    const refuse = (why: string) => invalid(`attachments.${index}: ${why}`);
    const [text = '', signature = ''] = handle.split('.');
    if (!context.secrets.isSigned(purpose, signedText(visitor, text), signature))
      throw refuse('must be a handle that an upload of this visitor returned');
    const [id, type, name] = JSON.parse(Buffer.from(text, 'base64url').toString()) as Content;
    const file = await context.database.storedFile.findFirst({
      where: { workspaceId: agent.workspaceId, id, stored: true },
    });
    const bytes = file && (await context.storage.get(keyOf(file)));
    if (!bytes) throw refuse('was not sent within an hour and no longer exists: attach the file again');
    total += bytes.length;
    if (total > uploadLimits.bytes) throw refuse(`the files have more than ${uploadLimits.bytes / 1_000_000} MB`);
    attachments.push({ type, name, data: Buffer.from(bytes).toString('base64') });
  }
  return attachments;
}
