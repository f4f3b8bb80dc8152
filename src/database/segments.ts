import type { Place } from '../knowledge/chunk.ts';
import { type DatabaseHandle, type Transaction, transact } from './client.ts';
import { type Language, languageOf, languages, termOf, wordsOf } from './lexemes.ts';
import { type Analyzed, encodePostings } from './postings.ts';

type Queries = Pick<Transaction, '$queryRaw' | '$executeRaw'>;
export type Home = { workspaceId: string; baseId: string };
type Content = { text: string; place: Place };

/** Words of heading and question count so often. */
const aboutWeight = 2;
/** A segment that has less is merged, when its base has so many of its kind. */
const small = 256;
const fanIn = 16;

/** What an index holds of passages. One whose language cannot be told has that of most of the others, or English. */
export function analyze(passages: Content[]): Analyzed[] {
  const read = passages.map(({ text, place: { heading = '', question = '' } }) => {
    const about = `${question} ${heading}`;
    const words = { about: wordsOf(about), body: wordsOf(text) };
    return { ...words, language: languageOf(`${about} ${text}`, [...words.about, ...words.body]) };
  });
  const usual = mostOf(read.map(({ language }) => language));
  return read.map(({ about, body, language }) => {
    const terms = new Map<string, number>();
    const add = (words: string[], weight: number) => {
      let count = 0;
      for (const word of words) {
        const term = termOf(word, language ?? usual);
        if (!term) continue;
        terms.set(term, (terms.get(term) ?? 0) + weight);
        count += weight;
      }
      return count;
    };
    return { terms, words: Math.min(add(about, aboutWeight) + add(body, 1), 255) };
  });
}

function mostOf(found: (Language | null)[]): Language {
  const count = (language: Language) => found.filter((each) => each === language).length;
  return languages.reduce((best, language) => (count(language) > count(best) ? language : best));
}

/** Writes the index of passages, which get the slots 0, 1, … in the segment of which the number is answered. */
export async function writeSegment(tx: Queries, { workspaceId, baseId }: Home, passages: Analyzed[]): Promise<bigint> {
  const postings = encodePostings(passages);
  const words = passages.reduce((sum, passage) => sum + passage.words, 0);
  const sizes = postings.map(({ block }) => block.length);
  const blocks = Buffer.concat(postings.map(({ block }) => block));
  const [segment] = await tx.$queryRaw<{ number: bigint }[]>`
    WITH segment AS (
      INSERT INTO "PassageSegment" ("workspaceId", "baseId", "size", "live", "words")
      VALUES (${workspaceId}, ${baseId}, ${passages.length}, ${passages.length}, ${words}) RETURNING "number"
    ), part AS (
      SELECT term, size, (sum(size) OVER (ORDER BY n) - size)::int AS start
      FROM unnest(${postings.map(({ term }) => term)}::text[], ${sizes}::int[]) WITH ORDINALITY AS part(term, size, n)
    ), written AS (
      INSERT INTO "PassageTerm" ("workspaceId", "term", "segment", "block")
      SELECT ${workspaceId}, term, "number", substring(${blocks}::bytea FROM start + 1 FOR size) FROM segment, part
    )
    SELECT "number" FROM segment`;
  return (segment as { number: bigint }).number;
}

/**
 * Merges segments of a base where it has many small ones, so that a search reads few: each passage is indexed anew at
 * most twice in its life. Leaves alone what another transaction works on.
 */
export async function mergeSegments(tx: Queries, home: Home): Promise<void> {
  const kinds = await tx.$queryRaw<{ numbers: bigint[]; live: number }[]>`
    SELECT array_agg("number") AS numbers, sum("live")::int AS live FROM "PassageSegment"
    WHERE "workspaceId" = ${home.workspaceId} AND "baseId" = ${home.baseId} AND "live" < ${small}
    GROUP BY "live" < ${fanIn} HAVING count(*) >= ${fanIn} ORDER BY live`;
  for (const { numbers } of kinds) await merge(tx, home, numbers);
}

async function merge(tx: Queries, home: Home, numbers: bigint[]): Promise<void> {
  const { workspaceId } = home;
  // Passages before segments, as the trigger of their removal has it.
  const passages = await tx.$queryRaw<(Content & { id: string })[]>`
    SELECT "id", "text", "place" FROM "Passage" WHERE "workspaceId" = ${workspaceId} AND "segment" = ANY (${numbers}::bigint[])
    ORDER BY "segment", "slot" FOR UPDATE SKIP LOCKED`;
  const [whole] = await tx.$queryRaw<{ live: number }[]>`
    SELECT sum("live")::int AS live FROM "PassageSegment"
    WHERE "workspaceId" = ${workspaceId} AND "number" = ANY (${numbers}::bigint[])`;
  if (!passages.length || passages.length !== whole?.live) return;
  await moveToSegment(tx, home, passages);
  await tx.$executeRaw`
    DELETE FROM "PassageSegment" WHERE "workspaceId" = ${workspaceId} AND "number" = ANY (${numbers}::bigint[])`;
}

async function moveToSegment(tx: Queries, home: Home, passages: (Content & { id: string })[]): Promise<void> {
  const analyzed = analyze(passages);
  const number = await writeSegment(tx, home, analyzed);
  const [ids, words] = [passages.map(({ id }) => id), analyzed.map((each) => each.words)];
  await tx.$executeRaw`
    UPDATE "Passage" SET "segment" = ${number}, "slot" = n - 1, "words" = row.words
    FROM unnest(${ids}::text[], ${words}::int[]) WITH ORDINALITY AS row(id, words, n)
    WHERE "workspaceId" = ${home.workspaceId} AND "Passage"."id" = row.id`;
}

const waitingAtOnce = 2_000;

/** Indexes passages that were written before there was this index, base by base; `onStep` is told when there are any. */
export async function indexWaitingPassages(
  { client, pool }: Pick<DatabaseHandle, 'client' | 'pool'>,
  onStep: (text: string) => void = () => {},
): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<Home>(
      'SELECT "workspaceId", "baseId" FROM "Passage" WHERE "segment" IS NULL LIMIT 1',
    );
    if (!rows[0]) return;
    onStep('Indexing passages');
    const { workspaceId, baseId } = rows[0];
    const done = await transact(client, async (tx) => {
      const passages = await tx.$queryRaw<(Content & { id: string })[]>`
        SELECT "id", "text", "place" FROM "Passage"
        WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${baseId} AND "segment" IS NULL
        ORDER BY "sourceId", "position" LIMIT ${waitingAtOnce} FOR UPDATE SKIP LOCKED`;
      if (passages.length) await moveToSegment(tx, { workspaceId, baseId }, passages);
      return passages.length;
    });
    // Another replica has them.
    if (!done) return;
  }
}
