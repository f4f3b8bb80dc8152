import type { Transaction } from '../database/client.ts';
import type { QueryWord } from '../text/lexemes.ts';

type Queries = Pick<Transaction, '$queryRaw'>;

const shortest = 4;

/**
 * For words that no passage of the workspace holds, the terms of the index that they may stand for: with the same first
 * two letters and at most one slip in the three after them, as judged by `isNear(stem, heldStem)`, the most alike first.
 * Words without any are missing.
 */
export async function similarTerms(
  database: Queries,
  workspaceId: string,
  words: QueryWord[],
  isNear: (written: string, held: string) => boolean,
): Promise<Map<string, string[]>> {
  const asked = words
    .filter(({ word }) => word.length >= shortest && /\p{L}/u.test(word))
    .flatMap(({ word, terms }) => terms.map((term) => ({ word, term, stem: term.slice(2) })))
    .filter(({ stem }) => stem.length >= shortest - 1);
  if (!asked.length) return new Map();
  // From term to term, not through the segments of each: a term of a large workspace stands in hundreds. And first from
  // one beginning of five letters to the next: most of them are too far from what was written to be gone through.
  const starts = asked.map(({ term }) => Array.from(term).slice(0, 4).join(''));
  const rows = await database.$queryRaw<{ n: number; term: string }[]>`
    SELECT n::int, found.term FROM unnest(${starts}::text[], ${asked.map(({ stem }) => stem)}::text[])
      WITH ORDINALITY AS asked(start, stem, n)
    CROSS JOIN LATERAL (
      WITH RECURSIVE begun AS (
        (SELECT "term" FROM "PassageTerm" WHERE "workspaceId" = ${workspaceId} AND "term" >= asked.start ORDER BY "term" LIMIT 1)
        UNION ALL
        SELECT (
          SELECT "term" FROM "PassageTerm" WHERE "workspaceId" = ${workspaceId}
            AND "term" > CASE WHEN length(begun.term) < 7 THEN begun.term ELSE left(begun.term, 7) || chr(1114111) END
          ORDER BY "term" LIMIT 1
        ) FROM begun WHERE starts_with(begun.term, asked.start)
      ), letters AS (
        SELECT term, substr(term, 5, 1) AS a3, substr(term, 6, 1) AS a4, substr(term, 7, 1) AS a5,
          substr(asked.stem, 3, 1) AS b3, substr(asked.stem, 4, 1) AS b4, substr(asked.stem, 5, 1) AS b5
        FROM begun WHERE starts_with(term, asked.start)
      ), held AS (
        SELECT term, left(term, 7) AS start FROM letters
        WHERE starts_with(term, left(asked.start, 2) || asked.stem) OR (a3 = b3 AND (a4 IN (b4, b5) OR a5 IN (b4, b5)))
          OR (a4 = b4 AND a5 = b5) OR (a4 = b3 AND a5 = b4) OR (a3 = b4 AND a4 IN (b3, b5))
        UNION ALL
        SELECT (
          SELECT "term" FROM "PassageTerm" WHERE "workspaceId" = ${workspaceId} AND "term" > held.term ORDER BY "term" LIMIT 1
        ), held.start FROM held WHERE length(held.start) = 7 AND starts_with(held.term, held.start)
      )
      SELECT held.term, similarity(substr(held.term, 3), asked.stem) AS likeness FROM held
      WHERE starts_with(held.term, held.start)
        AND (starts_with(held.term, left(asked.start, 2) || asked.stem) OR similarity(substr(held.term, 3), asked.stem) >= 0.25)
      ORDER BY likeness DESC, held.term LIMIT 20
    ) AS found ORDER BY found.likeness DESC, n, found.term`;
  const near = new Map<string, string[]>();
  for (const { n, term } of rows) {
    const { word, stem } = asked[n - 1] as (typeof asked)[number];
    if (isNear(stem, term.slice(2))) near.set(word, [...(near.get(word) ?? []), term]);
  }
  return near;
}
