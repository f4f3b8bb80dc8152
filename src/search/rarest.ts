import type { Transaction } from '../database/client.ts';
import type { QueryWord } from '../text/lexemes.ts';

/** Maximum number of words to search for; of a longer message, the most significant ones. */
export const maxWords = 40;

/**
 * Returns the most significant words of a long message, in order: by their weight in the message times their rarity in
 * the workspace. Words that no passage contains are worthless.
 */
export async function rarestWords(
  database: Pick<Transaction, '$queryRaw'>,
  workspaceId: string,
  words: QueryWord[],
): Promise<QueryWord[]> {
  if (words.length <= maxWords) return words;
  const terms = [...new Set(words.flatMap((word) => word.terms))];
  const rows = await database.$queryRaw<{ term: string; held: number; passages: number }[]>`
    SELECT sought.term, sum(length("block") / 4)::int AS held, (
      SELECT coalesce(sum("live"), 0) FROM "PassageSegment" WHERE "workspaceId" = ${workspaceId} AND "draft" IS NULL
    )::int AS passages
    FROM unnest(${terms}::text[]) AS sought(term) CROSS JOIN LATERAL (
      SELECT "block" FROM "PassageTerm"
      WHERE "workspaceId" = ${workspaceId} AND "PassageTerm"."term" = sought.term OFFSET 0
    ) AS posting GROUP BY sought.term`;
  const frequencies = new Map(rows.map(({ term, held }) => [term, held]));
  const passages = rows[0]?.passages ?? 0;
  const worth = words.map(({ terms: own, weight }, index) => {
    const held = own.reduce((sum, term) => sum + (frequencies.get(term) ?? 0), 0);
    return { index, worth: held > 0 ? weight * Math.log(1 + passages / held) : 0 };
  });
  const chosen = new Set(
    worth
      .toSorted((a, b) => b.worth - a.worth || b.index - a.index)
      .slice(0, maxWords)
      .map(({ index }) => index),
  );
  return words.filter((_, index) => chosen.has(index));
}
