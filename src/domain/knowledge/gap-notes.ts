import { createHash } from 'node:crypto';
import { lockNames } from '../../database/advisory.ts';
import type { Transaction } from '../../database/client.ts';
import type { Conversation, GapReason, Turn } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { termsOf } from '../../model/reply/text.ts';

/** Two questions are of one gap when they share so much of what they are about, of all that either is. */
const leastShared = 0.6;
const mostMarks = 40;

/**
 * Keeps, in the transaction that ends a turn, that what was asked has no answer (`reason`), or that it has one now. The
 * same question, as its words tell, makes one gap of an agent, which counts it; one that was answered is open again.
 */
export async function noteGap(
  tx: Transaction,
  turn: Turn,
  { preview }: Pick<Conversation, 'preview'>,
  reason: GapReason | null,
): Promise<void> {
  // Who tries an agent out asks what nobody else may.
  if (preview || (reason === null && !turn.regenerates)) return;
  const { workspaceId, agentId, conversationId, heardTo } = turn;
  const asked = await tx.message.findFirst({
    where: { workspaceId, conversationId, role: 'user', content: { not: null }, position: { lte: heardTo } },
    orderBy: { position: 'desc' },
    select: { id: true, content: true, createdAt: true, gapQuestion: { select: { id: true } } },
  });
  if (!asked) return;
  if (reason === null) {
    if (asked.gapQuestion) await tx.gapQuestion.deleteMany({ where: { workspaceId, messageId: asked.id } });
    return;
  }
  // An answer that was made anew counts its question once.
  if (asked.gapQuestion) return;
  const marks = marksOf(asked.content ?? '', agentId);
  await lockNames(tx, [`gaps ${agentId}`]);
  const gapId = (await findGap(tx, workspaceId, agentId, marks)) ?? newId('gap');
  const at = asked.createdAt;
  await tx.$executeRaw`
    INSERT INTO "Gap" ("id", "workspaceId", "agentId", "marks", "firstAskedAt", "lastAskedAt", "updatedAt")
    VALUES (${gapId}, ${workspaceId}, ${agentId}, ${marks}, ${at}, ${at}, now())
    ON CONFLICT ("id") DO UPDATE SET "count" = "Gap"."count" + 1, "updatedAt" = now(),
      "lastAskedAt" = greatest("Gap"."lastAskedAt", excluded."lastAskedAt"),
      "state" = CASE "Gap"."state" WHEN 'answered' THEN 'open' ELSE "Gap"."state" END`;
  await tx.gapQuestion.create({
    data: { id: newId('question'), workspaceId, gapId, messageId: asked.id, reason, askedAt: at },
  });
}

/**
 * What a question is about, by which others like it are known. Hashes, since the words belong to who asked; of one agent,
 * so that what others are asked is not looked through.
 */
function marksOf(text: string, agentId: string): string[] {
  const terms = [...termsOf(text)].slice(0, mostMarks);
  return terms.map((term) => createHash('sha256').update(`${agentId} ${term}`).digest('base64url').slice(0, 16));
}

/** The gap of an agent that a question with these marks is most like, the oldest of those that it is equally like. */
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
      AND shared / (cardinality("marks") + ${marks.length}::int - shared) >= ${leastShared}::float8
    ORDER BY shared / (cardinality("marks") + ${marks.length}::int - shared) DESC, "id" LIMIT 1`;
  return found?.id;
}
