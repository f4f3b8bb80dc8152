import { setImmediate as pause } from 'node:timers/promises';
import type { Transaction } from '../database/client.ts';
import { newId } from '../database/ids.ts';
import { type AnalyzedContent, analyze, vocabularyOf } from './analysis.ts';
import { withNames } from './names.ts';
import { writeSegment } from './stored-postings.ts';
import type { PassageRow } from './types.ts';
import { passageIndex } from './word-index.ts';

type Queries = Pick<Transaction, '$queryRaw' | '$executeRaw' | '$executeRawUnsafe'>;
export type BaseScope = { workspaceId: string; baseId: string };
/**
 * `sourceId`: the common source of all of its passages, if there is one. `draft`: the name under which it is published
 * later; null if it is visible.
 */
type SegmentOf = BaseScope & { sourceId: string | null; draft: string | null };

/** The maximum number of passages in a segment. */
export const maxSegmentSize = 2_000;

// Rows per statement: some tens of milliseconds on the embedded database, whose only connection everybody shares. Its
// results are handled before other events, so each statement is followed by a pause.
const passagesAtOnce = 150;

/**
 * Writes at most `maxSegmentSize` passages as one segment. Outside of a transaction the connection is released between
 * statements and a failure leaves rows behind, so the segment must be a draft. `title`: the source's title once the
 * passages are visible; by default the current one.
 */
export async function writePassages(
  queries: Queries,
  { draft, title }: Pick<SegmentOf, 'draft'> & { title?: string | null },
  passages: PassageRow[],
): Promise<void> {
  const { workspaceId, baseId, sourceId } = passages[0] as PassageRow;
  const analyzed = await analyze(await withNames(queries, { workspaceId, baseId }, passages, title));
  const isOfOne = passages.every((passage) => passage.sourceId === sourceId);
  const of = { workspaceId, baseId, sourceId: isOfOne ? sourceId : null, draft };
  const number = await indexPassages(queries, of, analyzed);
  for (let start = 0; start < passages.length; start += passagesAtOnce) {
    const rows = passages.slice(start, start + passagesAtOnce).map((passage, index) => {
      const { searchText, words } = analyzed[start + index] as AnalyzedContent;
      return { ...passage, id: newId('passage'), searchText, words, slot: start + index };
    });
    await queries.$executeRaw`
      INSERT INTO "Passage" ("id", "workspaceId", "baseId", "sourceId", "position", "text", "place", "searchText",
        "segment", "slot", "words")
      SELECT "id", "workspaceId", "baseId", "sourceId", "position", "text", "place", "searchText", ${number}, "slot", "words"
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row("id" text, "workspaceId" text, "baseId" text,
        "sourceId" text, "position" int, "text" text, "place" jsonb, "searchText" text, "slot" int, "words" int)`;
    await pause();
  }
}

/** Writes the index of passages, which get the slots 0, 1, … of a new segment. Returns its number. */
export function indexPassages(
  queries: Queries,
  { workspaceId, baseId, sourceId, draft }: SegmentOf,
  passages: AnalyzedContent[],
): Promise<bigint> {
  const own = { workspaceId, baseId, sourceId, draft, vocabulary: vocabularyOf(passages) };
  return writeSegment(queries, passageIndex, own, passages);
}
