import type { Context } from '../../context.ts';
import { notFound, ParleyError } from '../../core/errors.ts';
import { memoize } from '../../core/lazy.ts';
import { permit } from '../../core/permissions.ts';
import type { Message } from '../../database/generated/prisma/client.ts';
import { shownAttachments } from '../attachments/attachments.ts';
import { recordEvent } from '../shared/audit-events.ts';
import { type ExportFormat, writers } from './export-formats.ts';

/** How many bytes an operation may export, for all of its conversations together. */
const maxExportBytes = 5_000_000;
/** Messages per query. */
const batchSize = 100;

/** The bytes that each request may still export, and its last export: exports run one after another. */
type Budget = { remaining: number; last: Promise<unknown> };
const budgetOf = memoize((_: Context): Budget => ({ remaining: maxExportBytes, last: Promise.resolve() }));

/**
 * Returns a whole conversation as text. One operation may export 5 MB; beyond that, throws 413 `payload_too_large`, and
 * the messages have to be read in pages. Throws 403 and 404.
 */
export function exportConversation(context: Context, id: string, format: ExportFormat): Promise<string> {
  permit(context, 'conversations.read');
  const budget = budgetOf(context);
  const result = budget.last.then(() => write(context, id, format, budget));
  budget.last = result.catch(() => {});
  return result;
}

async function write(
  context: Context,
  id: string,
  format: ExportFormat,
  budget: { remaining: number },
): Promise<string> {
  const { database, viewer } = context;
  const { workspaceId } = viewer;
  const include = {
    agent: { select: { id: true, name: true } },
    stages: { select: { stage: true, reachedAt: true }, orderBy: { reachedAt: 'asc' } },
  } as const;
  const conversation = await database.conversation.findFirst({ where: { workspaceId, id }, include });
  if (!conversation) throw notFound('Conversation');
  const writer = writers[format];
  const pieces: string[] = [];
  const add = (piece: string) => {
    budget.remaining -= Buffer.byteLength(piece);
    if (budget.remaining < 0) throw tooLarge();
    pieces.push(piece);
  };
  add(writer.head(conversation));
  for (let next = 0; ; next += batchSize) {
    const messages = await database.message.findMany({
      where: { workspaceId, conversationId: id, position: { gte: next, lt: next + batchSize } },
      orderBy: { position: 'asc' },
    });
    for (const message of messages) {
      const attachments = shownAttachments(context, message) as Message['attachments'];
      add(writer.message({ ...message, attachments }, message.position === 0));
    }
    if (messages.length < batchSize) break;
  }
  add(writer.tail);
  await recordEvent(context, { action: 'exported', type: 'Conversation', rowId: id });
  return pieces.join('');
}

const tooLarge = (): ParleyError =>
  new ParleyError(
    'payload_too_large',
    'An operation exports at most 5 MB: export fewer conversations at once, or read the messages of this one in pages.',
  );
