import { lockNames } from '../../database/advisory.ts';
import { type Database, type Transaction, transact } from '../../database/client.ts';
import { literalSql, sql } from '../../database/sql.ts';
import { analyze } from '../analysis.ts';
import { writeSegment } from '../stored-postings.ts';
import { messageIndex, rest } from '../word-index.ts';
import { type MessageText, messageTexts, newestUnindexed, unindexed } from './texts.ts';

/** Fewer unindexed messages do not make a segment: a search reads them directly. */
export const minBatchSize = 500;
/** The maximum size of a new segment: its messages are indexed in one transaction. */
const atOnce = 1_000;

/**
 * Returns workspaces with enough unindexed messages. The planner cannot know the offset, so that it reads the index in
 * its order: with outdated statistics, it would else sort a whole partition for an offset near the number of messages.
 */
export const workspacesToIndex = (database: Database): Promise<{ workspaceId: string }[]> =>
  database.$queryRaw`
    SELECT "id" AS "workspaceId" FROM "Workspace" WHERE EXISTS (
      SELECT FROM "Message" AS m WHERE m."workspaceId" = "Workspace"."id" AND ${unindexed}
      LIMIT 1 OFFSET (SELECT ${literalSql(minBatchSize - 1)})
    )`;

/** Indexes messages, newest first, until fewer than `min` are left. */
export async function indexMessages(
  database: Database,
  workspaceId: string,
  { min = minBatchSize, signal }: { min?: number; signal?: AbortSignal } = {},
): Promise<void> {
  let indexed: number;
  do {
    signal?.throwIfAborted();
    const started = performance.now();
    indexed = await transact(database, (tx) => indexSome(tx, workspaceId, min), { timeoutMs: 120_000 });
    if (indexed === atOnce) await rest(started, signal);
  } while (indexed > 0);
}

async function indexSome(tx: Transaction, workspaceId: string, min: number): Promise<number> {
  await lockNames(tx, [`index of messages of ${workspaceId}`]);
  const waiting = await tx.$queryRaw<MessageText[]>(
    messageTexts(workspaceId, sql`${newestUnindexed(atOnce)} FOR NO KEY UPDATE OF m SKIP LOCKED`),
  );
  if (waiting.length === 0 || waiting.length < min) return 0;
  const messages = waiting.reverse();
  const [end] = await tx.$queryRaw<{ first: number }[]>`
    SELECT coalesce(max("first" + "size"), 0) AS "first" FROM "MessageSegment" WHERE "workspaceId" = ${workspaceId}`;
  const { first } = end as { first: number };
  const analyzed = await analyze(messages.map(({ text }) => ({ text, place: {} })));
  await writeSegment(tx, messageIndex, { workspaceId, first }, analyzed);
  await tx.$executeRaw`
    UPDATE "Message" SET "searchNumber" = ${first} + n - 1
    FROM unnest(${messages.map(({ id }) => id)}::text[]) WITH ORDINALITY AS row(id, n)
    WHERE "Message"."workspaceId" = ${workspaceId} AND "Message"."id" = row.id`;
  return messages.length;
}
