import { hash } from 'node:crypto';
import { lockNames } from '../../database/advisory.ts';
import type { Transaction } from '../../database/client.ts';
import type { Conversation, GapReason, Message, Turn } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { type JointWrite, writeInOneStatement } from '../../database/query/joint-writes.ts';
import { type Sql, sql } from '../../database/sql.ts';
import { termsOf } from '../../model/reply/text.ts';

/** Two questions belong to one gap if their terms overlap by at least this share of their union (Jaccard). */
const minSharedTerms = 0.6;
const maxMarks = 40;

/**
 * Records, in the transaction that ends a turn, that its question has no answer (`reason`), or that it now has one
 * (null). Similar questions to an agent count towards one gap; an answered gap is opened again.
 */
export async function recordGap(
  tx: Transaction,
  turn: Turn,
  { preview }: Pick<Conversation, 'preview'>,
  reason: GapReason | null,
): Promise<void> {
  // Questions in previews come from whoever tests the agent, not from visitors.
  if (preview || (reason === null && !turn.regenerates)) return;
  const { workspaceId, conversationId, inputTo } = turn;
  const question = await tx.message.findFirst({
    where: { workspaceId, conversationId, role: 'user', content: { not: null }, position: { lte: inputTo } },
    orderBy: { position: 'desc' },
    select: { id: true, content: true, createdAt: true, gapQuestion: { select: { id: true } } },
  });
  if (!question) return;
  if (reason === null) {
    if (question.gapQuestion) await tx.gapQuestion.deleteMany({ where: { workspaceId, messageId: question.id } });
    return;
  }
  // A regenerated answer does not count its question twice.
  if (question.gapQuestion) return;
  await lockGaps(tx, turn);
  await writeInOneStatement(tx, gapWrites(turn, question, reason).record);
}

/** What a visitor asked. */
export type AskedQuestion = Pick<Message, 'id' | 'content' | 'createdAt'>;

/** Makes sure, until the transaction ends, that no other turn begins a gap of the agent. */
export const lockGaps = (tx: Transaction, { agentId }: Turn): Promise<void> => lockNames(tx, [`gaps ${agentId}`]);

/**
 * The writes that record a question without an answer, unless that has been done: `record` in the most similar gap or a
 * new one, for which `lockGaps` is needed. `ifThere` finds a similar gap, and `recordThere` records it in that one, if
 * `ifThere` is the first of the writes.
 */
export function gapWrites(
  { workspaceId, agentId }: Turn,
  { id: messageId, content, createdAt: at }: AskedQuestion,
  reason: GapReason,
): { ifThere: JointWrite; recordThere: JointWrite[]; record: JointWrite[] } {
  const marks = termHashesOf(content ?? '', agentId);
  const similar = mostSimilar(workspaceId, agentId, marks);
  const count = (gap: (first: Sql) => Sql): JointWrite => ({
    statement: (condition, { first }) => sql`
      INSERT INTO "Gap" ("id", "workspaceId", "agentId", "marks", "firstAskedAt", "lastAskedAt", "updatedAt")
      SELECT ${gap(first)}, ${workspaceId}, ${agentId}, ${marks}::text[],
        ${at}::timestamptz, ${at}::timestamptz, now()
      WHERE ${condition} AND NOT EXISTS (
        SELECT FROM "GapQuestion" WHERE "workspaceId" = ${workspaceId} AND "messageId" = ${messageId}
      )
      ON CONFLICT ("workspaceId", "id") DO UPDATE SET "count" = "Gap"."count" + 1, "updatedAt" = excluded."updatedAt",
        "lastAskedAt" = greatest("Gap"."lastAskedAt", excluded."lastAskedAt"),
        "state" = CASE WHEN "Gap"."state" = 'answered' THEN 'open' ELSE "Gap"."state" END
      RETURNING "id"`,
  });
  const question: JointWrite = {
    statement: (_, { before: gap }) => sql`
      INSERT INTO "GapQuestion" ("id", "workspaceId", "gapId", "messageId", "reason", "askedAt")
      SELECT ${newId('question')}, ${workspaceId}, "id", ${messageId}, ${reason}::"GapReason", ${at}::timestamptz FROM ${gap}
      RETURNING "id"`,
  };
  return {
    ifThere: { statement: () => similar },
    recordThere: [count((first) => sql`(SELECT "id" FROM ${first})`), question],
    record: [count(() => sql`coalesce((${similar}), ${newId('gap')})`), question],
  };
}

/**
 * Hashes of the terms of a question, by which similar ones are found. Hashed, since the words belong to the visitor;
 * salted with the agent's id, so that the index finds only this agent's gaps.
 */
export function termHashesOf(text: string, agentId: string): string[] {
  const terms = [...termsOf(text)].slice(0, maxMarks);
  return terms.map((term) => hash('sha256', `${agentId} ${term}`, 'base64url').slice(0, 16));
}

/** Selects the gap of an agent that is most similar to these marks; among equals, the oldest. */
const mostSimilar = (workspaceId: string, agentId: string, marks: string[]) => sql`
    SELECT "id" FROM "Gap", LATERAL (
      SELECT count(*)::float8 AS shared FROM unnest("marks") AS held(mark) WHERE mark = ANY (${marks}::text[])
    ) AS alike
    WHERE "workspaceId" = ${workspaceId} AND "agentId" = ${agentId} AND "marks" && ${marks}::text[]
      AND shared / (cardinality("marks") + ${marks.length}::int - shared) >= ${minSharedTerms}::float8
    ORDER BY shared / (cardinality("marks") + ${marks.length}::int - shared) DESC, "id" LIMIT 1`;
