import type { Place } from '../knowledge/chunk.ts';
import type { Transaction } from './client.ts';
import { newId } from './ids.ts';
import { lexemesOf, wordsOf } from './lexemes.ts';
import { fold } from './text.ts';

type Queries = Pick<Transaction, '$queryRaw' | '$executeRaw'>;

export type PassageRow = {
  workspaceId: string;
  baseId: string;
  sourceId: string;
  /** Unique in its source, from 0. */
  position: number;
  text: string;
  place: Place;
};
export type FoundPassage = { id: string; baseId: string; sourceId: string; text: string; place: Place; score: number };
export type PassageSearch = { workspaceId: string; baseIds: string[]; query: string; limit: number };

const batch = 500;
/**
 * A passage must hold this share of the question's words, each weighed by how rare it is in the bases; of a long question
 * about two rare words are enough.
 */
const leastShare = 0.3;

/** Writes passages with what search needs of them, in the caller's transaction. */
export async function insertPassages(tx: Queries, passages: PassageRow[]): Promise<void> {
  for (let start = 0; start < passages.length; start += batch) {
    const rows = passages.slice(start, start + batch).map((passage) => {
      const { heading = '', question = '' } = passage.place;
      const about = `${question} ${heading}`;
      const searchText = fold(question, heading, passage.text);
      return { ...passage, id: newId('passage'), searchText, about: wordsOf(about), body: wordsOf(passage.text) };
    });
    const lexemes = await lexemesOf(
      tx,
      rows.flatMap(({ about, body }) => [...about, ...body]),
    );
    const values = rows.map(({ about, body, ...row }) => ({ ...row, lexemes: vectorOf(about, body, lexemes) }));
    await tx.$executeRaw`
      INSERT INTO "Passage" ("id", "workspaceId", "baseId", "sourceId", "position", "text", "place", "searchText", "lexemes")
      SELECT "id", "workspaceId", "baseId", "sourceId", "position", "text", "place", "searchText", "lexemes"::tsvector
      FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS row("id" text, "workspaceId" text, "baseId" text,
        "sourceId" text, "position" int, "text" text, "place" jsonb, "searchText" text, "lexemes" text)`;
  }
}

/** A tsvector: each lexeme with the places of its words, those of heading and question marked as weightier. */
function vectorOf(about: string[], body: string[], lexemes: Map<string, string[]>): string {
  const places = new Map<string, string[]>();
  for (const [index, word] of [...about, ...body].entries()) {
    const place = `${Math.min(index + 1, 16_383)}${index < about.length ? 'A' : ''}`;
    for (const lexeme of lexemes.get(word) ?? []) {
      const at = places.get(lexeme);
      if (at) at.push(place);
      else places.set(lexeme, [place]);
    }
  }
  return [...places].map(([lexeme, at]) => `'${lexeme}':${at.join(',')}`).join(' ');
}

/**
 * The passages of these bases that hold enough of the question, best first. Words count by their rarity among the bases'
 * passages, more in headings and questions; a word in another form (plural, tense) counts as itself.
 */
export async function searchPassageRows(database: Queries, search: PassageSearch): Promise<FoundPassage[]> {
  const { workspaceId, baseIds, limit } = search;
  const words = [...new Set(wordsOf(search.query))].slice(0, 40);
  if (!words.length || !baseIds.length) return [];
  const lexemes = await lexemesOf(database, words);
  const queries = words.map((word) => (lexemes.get(word) ?? []).map((lexeme) => `'${lexeme}'`).join(' | '));
  return database.$queryRaw<FoundPassage[]>`
    WITH word AS (
      SELECT n, query::tsquery AS query FROM unnest(${queries}::text[]) WITH ORDINALITY AS word(query, n)
    ), candidate AS MATERIALIZED (
      SELECT "id", strip("lexemes") AS lexemes FROM "Passage"
      WHERE "workspaceId" = ${workspaceId} AND "baseId" = ANY (${baseIds}) AND "lexemes" @@ ${queries.join(' | ')}::tsquery
    ), hit AS (
      SELECT n, "id" FROM word JOIN candidate ON lexemes @@ query
    ), size AS (
      SELECT count(*) AS total FROM "Passage" WHERE "workspaceId" = ${workspaceId} AND "baseId" = ANY (${baseIds})
    ), weight AS (
      SELECT n, query, ln(1 + (total + 20 - frequency + 0.5) / (frequency + 0.5)) AS weight
      FROM word CROSS JOIN size CROSS JOIN LATERAL (
        SELECT greatest(count(*), 1) AS frequency FROM hit WHERE hit.n = word.n
      ) AS counted
    ), enough AS (
      SELECT least(${leastShare} * sum(weight), 1.8 * max(weight)) AS least FROM weight
    ), best AS (
      SELECT "id", sum(weight) AS held FROM hit JOIN weight USING (n) GROUP BY "id"
      HAVING sum(weight) >= (SELECT least FROM enough) ORDER BY held DESC LIMIT 200
    )
    SELECT "id", "baseId", "sourceId", "text", "place", score::float8
    FROM best JOIN "Passage" USING ("id") CROSS JOIN LATERAL (
      SELECT held + sum(weight * least(1, ts_rank('{0.5, 0.5, 0.5, 1}', "lexemes", query) * (numnode(query) + 1) / 2)) AS score
      FROM weight
    ) AS scored
    ORDER BY score DESC, "id" LIMIT ${limit}`;
}
