import type { Database } from '../../src/database/client.ts';
import type { Text } from './lucene.ts';

/**
 * PostgreSQL's own full-text search over the same texts: any word of the question, ranked by ts_rank. For comparison.
 */
export async function createTsRank(database: Database, texts: Text[], configuration: string) {
  await database.$executeRaw`CREATE TABLE IF NOT EXISTS "BenchText" ("n" int PRIMARY KEY, "vector" tsvector)`;
  await database.$executeRaw`TRUNCATE "BenchText"`;
  const rows = texts.map(({ text, place: { heading = '' } }, n) => ({ n, text: `${heading} ${text}` }));
  await database.$executeRaw`
    INSERT INTO "BenchText" SELECT "n", to_tsvector(${configuration}::text::regconfig, "text")
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row("n" int, "text" text)`;
  return async (query: string, limit: number): Promise<string[]> => {
    const found = await database.$queryRaw<{ n: number }[]>`
      SELECT "n" FROM "BenchText", (
        SELECT replace(plainto_tsquery(${configuration}::text::regconfig, ${query})::text, '&', '|')::tsquery AS asked
      ) AS question
      WHERE "vector" @@ asked ORDER BY ts_rank("vector", asked) DESC, "n" LIMIT ${limit}`;
    return found.map(({ n }) => texts[n]?.id ?? '');
  };
}
