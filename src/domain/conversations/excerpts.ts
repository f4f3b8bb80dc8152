import DataLoader from 'dataloader';
import type { Context } from '../../context.ts';
import { memoize } from '../../core/lazy.ts';
import { sql } from '../../database/sql.ts';
import { type MessageText, messageTexts } from '../../search/messages/texts.ts';
import type { Highlight } from '../../search/retrieve.ts';
import { markWords } from '../../search/retrieve.ts';
import { queryWords } from '../../text/lexemes.ts';

export type { Highlight } from '../../search/retrieve.ts';

/** A part of a message, with the search words in it. */
export type Excerpt = { text: string; highlights: Highlight[] };

/** Characters before the first match, and in total. */
const before = 80;
const maxLength = 300;

const loaderOf = memoize((context: Context) => new DataLoader<string, string | null>((ids) => readTexts(context, ids)));

/**
 * Returns the sentence of a message, or of its attachments, in which the search words occur first. Null if the message
 * does not exist.
 */
export async function excerptOf(context: Context, messageId: string, search: string): Promise<Excerpt | null> {
  const text = await loaderOf(context).load(messageId);
  if (text === null) return null;
  const marked = markWords({ text }, queryWords(search)).highlights();
  const [start, end] = rangeOf(text, marked[0]?.start ?? 0);
  const within = marked.filter((mark) => mark.start >= start && mark.end <= end);
  return {
    text: text.slice(start, end),
    highlights: within.map((mark) => ({ start: mark.start - start, end: mark.end - start })),
  };
}

async function readTexts({ pool, viewer }: Context, ids: readonly string[]): Promise<(string | null)[]> {
  const { text, values } = messageTexts(viewer.workspaceId, sql`m."id" = ANY (${ids}::text[])`);
  const { rows } = await pool.query<MessageText>(text, values);
  const texts = new Map(rows.map(({ id, text }) => [id, text]));
  return ids.map((id) => texts.get(id) ?? null);
}

/** Where an excerpt starts, at a sentence or else a word, and where it ends, after a word. */
function rangeOf(text: string, found: number): [start: number, end: number] {
  const preceding = text.slice(Math.max(found - before, 0), found);
  const sentence = Math.max(
    ...['. ', '! ', '? ', '\n'].map((end) => preceding.lastIndexOf(end) + (preceding.includes(end) ? end.length : 0)),
  );
  const isWhole = found <= before;
  const from = sentence > 0 ? sentence : isWhole ? 0 : preceding.indexOf(' ') + 1;
  const start = found - preceding.length + from;
  if (text.length - start <= maxLength) return [start, text.length];
  const shown = text.slice(start, start + maxLength);
  const last = Math.max(shown.lastIndexOf(' '), shown.lastIndexOf('\n'));
  return [start, start + (last > found - start ? last : shown.toWellFormed() === shown ? maxLength : maxLength - 1)];
}
