import { createHash } from 'node:crypto';
import { lockNames } from '../../database/advisory.ts';
import type { Transaction } from '../../database/client.ts';
import type { Conversation, GapReason, Turn } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
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
  const { workspaceId, agentId, conversationId, heardTo } = turn;
  const question = await tx.message.findFirst({
    where: { workspaceId, conversationId, role: 'user', content: { not: null }, position: { lte: heardTo } },
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
  const marks = marksOf(question.content ?? '', agentId);
  await lockNames(tx, [`gaps ${agentId}`]);
  const gapId = (await findGap(tx, workspaceId, agentId, marks)) ?? newId('gap');
  const at = question.createdAt;
  await tx.$executeRaw`
    INSERT INTO "Gap" ("id", "workspaceId", "agentId", "marks", "firstAskedAt", "lastAskedAt", "updatedAt")
    VALUES (${gapId}, ${workspaceId}, ${agentId}, ${marks}, ${at}, ${at}, now())
    ON CONFLICT ("workspaceId", "id") DO UPDATE SET "count" = "Gap"."count" + 1, "updatedAt" = now(),
      "lastAskedAt" = greatest("Gap"."lastAskedAt", excluded."lastAskedAt"),
      "state" = CASE "Gap"."state" WHEN 'answered' THEN 'open' ELSE "Gap"."state" END`;
  await tx.gapQuestion.create({
    data: { id: newId('question'), workspaceId, gapId, messageId: question.id, reason, askedAt: at },
  });
}

/**
 * Hashes of the terms of a question, by which similar ones are found. Hashed, since the words belong to the visitor;
 * salted with the agent's id, so that the index finds only this agent's gaps.
 */
export function marksOf(text: string, agentId: string): string[] {
  const terms = [...termsOf(text)].slice(0, maxMarks);
  return terms.map((term) => createHash('sha256').update(`${agentId} ${term}`).digest('base64url').slice(0, 16));
}

/** Returns the gap of an agent that is most similar to these marks; among equals, the oldest. */
async function findGap(
  tx: Transaction,
  workspaceId: string,
  agentId: string,
  marks: string[],
): Promise<string | undefined> {
  const [found] = await tx.$queryRaw<{ id: string }[]>`
    SELECT "id" FROM "Gap", LATERAL (
      SELECT count(*)::float8 AS shared FROM unnest("marks") AS held(mark) WHERE mark = ANY (${marks}::text[])
    ) AS alike
    WHERE "workspaceId" = ${workspaceId} AND "agentId" = ${agentId} AND "marks" && ${marks}::text[]
      AND shared / (cardinality("marks") + ${marks.length}::int - shared) >= ${minSharedTerms}::float8
    ORDER BY shared / (cardinality("marks") + ${marks.length}::int - shared) DESC, "id" LIMIT 1`;
  return found?.id;
}
