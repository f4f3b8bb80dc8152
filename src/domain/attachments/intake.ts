import type { Context } from '../../context.ts';
import { limits } from '../../core/limits.ts';
import type { Agent } from '../../database/generated/prisma/client.ts';
import { Deadline } from '../../net/deadline.ts';
import { FetchFailure } from '../../net/fetch-failure.ts';
import { knownMedia, mediaTypeOf } from '../../storage/media-type.ts';
import type { MessageInput, TurnRequest } from '../turns/input.ts';
import { type Attachment, storeAttachment } from './attachments.ts';
import { readAttachment, whyTypeUnread } from './refusal.ts';
import { storeBytes } from './stored-files.ts';

/** A request whose attachments are stored. `unread`: those that the agent's model cannot read, and why. */
type Intake = { turn: TurnRequest; unread: string[] };
type Sent = NonNullable<MessageInput['attachments']>[number];

/** For all URLs of a request together, in milliseconds. */
const fetchingMs = 20_000;

/**
 * Stores the attachments of a request before its transaction begins: uploads bytes, fetches URLs that the model is to
 * see, and reads files. Throws 503.
 */
export async function storeAttachments(
  context: Context,
  agent: Agent,
  turn: TurnRequest,
  signal: AbortSignal,
): Promise<Intake> {
  const all = [...(turn.messages ?? []), ...(turn.message ? [turn.message] : [])];
  if (!all.some(({ attachments }) => attachments?.length)) return { turn, unread: [] };
  const deadline = new Deadline(fetchingMs, signal);
  try {
    return await storeEach(context, agent, turn, deadline.signal);
  } finally {
    deadline.end();
  }
}

/** `stop` ends only the fetching of URLs. */
async function storeEach(context: Context, agent: Agent, turn: TurnRequest, stop: AbortSignal): Promise<Intake> {
  const unread: string[] = [];
  let fetches = 0;
  const storeOne = async (sent: Sent, role: MessageInput['role'], path: string): Promise<Attachment> => {
    const refuse = (why: string) => unread.push(`${path}: ${why}`);
    const stored = await storeAttachment(context, agent.workspaceId, sent);
    if (role !== 'user') return stored;
    const why = whyTypeUnread(context, agent, sent);
    if (why) refuse(why);
    if (why) return stored;
    const found = sent.data ? Buffer.from(sent.data, 'base64') : await fetched(context, sent, fetches++, stop);
    if (typeof found === 'string') refuse(found);
    if (typeof found === 'string') return stored;
    const read = await readAttachment(context, agent, sent, found);
    if ('unread' in read) refuse(read.unread);
    if ('unread' in read) return stored;
    const file = await storeBytes(context, agent.workspaceId, found, read.text);
    const mimeType = sent.type === 'file' ? (stored.mimeType ?? null) : mediaTypeOf(found);
    return { ...stored, mimeType, file: file.id };
  };
  const storeAll = async (message: MessageInput, path: string): Promise<MessageInput> => {
    if (!message.attachments?.length) return message;
    const attachments: Attachment[] = [];
    // One at a time: together they may be many megabytes.
    for (const [index, sent] of message.attachments.entries())
      attachments.push(await storeOne(sent, message.role, `${path}.attachments.${index}`));
    return { ...message, attachments };
  };
  const messages: MessageInput[] = [];
  for (const [index, message] of (turn.messages ?? []).entries())
    messages.push(await storeAll(message, `messages.${index}`));
  const message = turn.message && (await storeAll(turn.message, 'message'));
  return { turn: { ...turn, ...(turn.messages && { messages }), ...(message && { message }) }, unread };
}

/** Returns the content of an attachment's URL, or why it cannot be used. */
async function fetched(
  { guardedFetch }: Context,
  { type, url }: Sent,
  previousCount: number,
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  if (previousCount >= limits.attachments) return `at most ${limits.attachments} URLs are fetched per request.`;
  try {
    const { bytes } = await guardedFetch(url ?? '', { maxBytes: limits.attachmentBytes, timeoutMs: 10_000, signal });
    if (type === 'file' || mediaTypeOf(bytes)?.startsWith(type)) return bytes;
    return `the content at its url is not ${knownMedia[type]}.`;
  } catch (error) {
    if (error instanceof FetchFailure) return `its url cannot be fetched: ${error.message}.`;
    // If the process is shutting down instead, the turn ends before this reason is used.
    if (signal.aborted) return 'its url cannot be fetched: fetching the URLs of this request takes too long.';
    throw error;
  }
}
