import { conflict } from '../../core/errors.ts';
import { plainFields } from '../../database/audit/rules.ts';
import type { Transaction } from '../../database/client.ts';
import { questionKeyOf } from '../evaluations/cases.ts';
import { termHashesOf } from '../knowledge/gap-notes.ts';
import { nameOf } from '../shared/idempotency/keys.ts';
import type { Person } from './person.ts';

/** Number of deleted rows, by kind. */
type Deleted = Record<string, number>;

/**
 * Locks the rows of a person until the transaction ends. Throws 409 while one of their messages is being answered: the
 * end of the turn would write about them again.
 */
export async function lockPerson(tx: Transaction, { workspaceId, leadIds, conversationIds }: Person): Promise<void> {
  const open = await tx.$queryRaw<{ turnId: string | null }[]>`
    SELECT "turnId" FROM "Conversation" WHERE "workspaceId" = ${workspaceId} AND "id" = ANY (${conversationIds}::text[])
    ORDER BY "id" FOR UPDATE`;
  if (open.some(({ turnId }) => turnId !== null)) {
    throw conflict('A message of this person is being answered: stop the reply, or try again when it has ended.');
  }
  await tx.$executeRaw`
    SELECT FROM "Lead" WHERE "workspaceId" = ${workspaceId} AND "id" = ANY (${leadIds}::text[]) ORDER BY "id" FOR UPDATE`;
}

/**
 * Deletes everything about a person. Triggers delete what hangs on it, and mark removed messages in the search index.
 */
export async function deletePerson(tx: Transaction, person: Person): Promise<Deleted> {
  const { workspaceId, leadIds, conversationIds } = person;
  const counts = await countRows(tx, person);
  const questions = await tx.$queryRaw<{ agentId: string; content: string }[]>`
    SELECT DISTINCT talk."agentId", said."content" FROM "Message" AS said
    JOIN "Conversation" AS talk ON talk."workspaceId" = ${workspaceId} AND talk."id" = said."conversationId"
    WHERE said."workspaceId" = ${workspaceId} AND said."conversationId" = ANY (${conversationIds}::text[])
      AND said."role" = 'user' AND said."content" IS NOT NULL`;
  const files = await filesOf(tx, person);
  const gaps = await gapsOf(tx, person);
  const requests = await deleteRequests(tx, person);
  const events = await deleteEvents(tx, person);
  const conversations = await tx.$executeRaw`
    DELETE FROM "Conversation" WHERE "workspaceId" = ${workspaceId} AND "id" = ANY (${conversationIds}::text[])`;
  const leads = await tx.$executeRaw`
    DELETE FROM "Lead" WHERE "workspaceId" = ${workspaceId} AND "id" = ANY (${leadIds}::text[])`;
  await remarkGaps(tx, workspaceId, gaps);
  return {
    leads,
    conversations,
    ...counts,
    ...requests,
    ...events,
    files: await releaseFiles(tx, workspaceId, files),
    ...(await deleteQuestions(tx, workspaceId, questions)),
    auditEntries: await cleanAuditEntries(tx, person),
  };
}

/** Counts what the database deletes with conversations. */
async function countRows(tx: Transaction, { workspaceId, conversationIds }: Person): Promise<Deleted> {
  const message = { workspaceId, conversationId: { in: conversationIds } };
  const where = { workspaceId, message };
  return {
    messages: await tx.message.count({ where: message }),
    messageAlternatives: await tx.messageAlternative.count({ where: message }),
    messageTraces: await tx.messageTrace.count({ where }),
    pluginCalls: await tx.pluginCall.count({ where: message }),
    gapQuestions: await tx.gapQuestion.count({ where }),
    gapProposals: await tx.gapProposal.count({ where }),
  };
}

const filesOf = (tx: Transaction, { workspaceId, conversationIds }: Person): Promise<{ id: string }[]> => tx.$queryRaw`
  SELECT DISTINCT held."fileId" AS "id" FROM "MessageFile" AS held
  JOIN "Message" AS said ON said."workspaceId" = ${workspaceId} AND said."id" = held."messageId"
  WHERE held."workspaceId" = ${workspaceId} AND said."conversationId" = ANY (${conversationIds}::text[])`;

/**
 * Deletes the text of files that no other message has. Without a hash, the next sweep deletes them with their objects.
 */
async function releaseFiles(tx: Transaction, workspaceId: string, files: { id: string }[]): Promise<number> {
  const ids = files.map(({ id }) => id);
  // Waits for messages that are being stored with these files; the next statement sees them.
  await tx.$executeRaw`
    SELECT FROM "StoredFile" WHERE "workspaceId" = ${workspaceId} AND "id" = ANY (${ids}::text[]) ORDER BY "id" FOR UPDATE`;
  return tx.$executeRaw`
    UPDATE "StoredFile" SET "text" = NULL, "checkAt" = NULL, "hash" = NULL
    WHERE "workspaceId" = ${workspaceId} AND "id" = ANY (${ids}::text[]) AND NOT EXISTS (
      SELECT FROM "MessageFile" AS held
      WHERE held."workspaceId" = ${workspaceId} AND held."fileId" = "StoredFile"."id")`;
}

const gapsOf = (tx: Transaction, { workspaceId, conversationIds }: Person): Promise<{ id: string }[]> => tx.$queryRaw`
  SELECT DISTINCT asked."gapId" AS "id" FROM "GapQuestion" AS asked
  JOIN "Message" AS said ON said."workspaceId" = ${workspaceId} AND said."id" = asked."messageId"
  WHERE asked."workspaceId" = ${workspaceId} AND said."conversationId" = ANY (${conversationIds}::text[])`;

/** A gap that others asked about too keeps hashes of words: from now on those of the first question that is left. */
async function remarkGaps(tx: Transaction, workspaceId: string, gaps: { id: string }[]): Promise<void> {
  const left = await tx.gap.findMany({
    where: { workspaceId, id: { in: gaps.map(({ id }) => id) } },
    select: {
      id: true,
      agentId: true,
      questions: {
        orderBy: [{ askedAt: 'asc' }, { id: 'asc' }],
        take: 1,
        select: { message: { select: { content: true } } },
      },
    },
  });
  for (const { id, agentId, questions } of left) {
    const marks = termHashesOf(questions[0]?.message.content ?? '', agentId);
    await tx.gap.updateMany({ where: { workspaceId, id }, data: { marks } });
  }
}

/** Deletes turns with their streams, and the stored responses of turns and of widget visitors. */
async function deleteRequests(tx: Transaction, { workspaceId, conversationIds }: Person): Promise<Deleted> {
  const visitors = await tx.conversation.findMany({
    where: { workspaceId, id: { in: conversationIds }, platformUserIdentifier: { not: '' } },
    select: { channelId: true, platformUserIdentifier: true },
    distinct: ['channelId', 'platformUserIdentifier'],
  });
  const callers = visitors.map(({ channelId, platformUserIdentifier: id }) =>
    nameOf({ workspaceId, visitor: { channelId, id } }),
  );
  const ofVisitors = await tx.idempotency.deleteMany({ where: { workspaceId, caller: { in: callers } } });
  // The key stays, so that the request is not carried out again.
  const ofTurns = await tx.$executeRaw`
    UPDATE "Idempotency" SET "turnId" = NULL, "answerCipher" = NULL, "fingerprint" = '', "about" = '{}'
    WHERE "workspaceId" = ${workspaceId} AND "turnId" IN (
      SELECT "id" FROM "Turn" WHERE "workspaceId" = ${workspaceId} AND "conversationId" = ANY (${conversationIds}::text[]))`;
  const turns = await tx.turn.deleteMany({ where: { workspaceId, conversationId: { in: conversationIds } } });
  return { turns: turns.count, responses: ofVisitors.count + ofTurns };
}

/** Deletes webhook events about them, with the bodies of their deliveries. */
async function deleteEvents(tx: Transaction, { workspaceId, leadIds, conversationIds }: Person): Promise<Deleted> {
  const events = await tx.$queryRaw<{ id: string }[]>`
    SELECT "id" FROM "OutboxEvent" WHERE "workspaceId" = ${workspaceId} AND (
      "data" ->> 'leadId' = ANY (${leadIds}::text[]) OR "data" ->> 'conversationId' = ANY (${conversationIds}::text[]))`;
  const ids = events.map(({ id }) => id);
  const deliveries = await tx.$executeRaw`
    DELETE FROM "WebhookDelivery" WHERE "workspaceId" = ${workspaceId} AND "eventId" = ANY (${ids}::text[])`;
  await tx.$executeRaw`DELETE FROM "OutboxEvent" WHERE "workspaceId" = ${workspaceId} AND "id" = ANY (${ids}::text[])`;
  return { events: ids.length, webhookDeliveries: deliveries };
}

/**
 * Deletes evaluation cases with a question that they asked. Their results stay in the counts of runs, without texts.
 */
async function deleteQuestions(
  tx: Transaction,
  workspaceId: string,
  questions: { agentId: string; content: string }[],
): Promise<Deleted> {
  const agentIds = questions.map(({ agentId }) => agentId);
  const keys = questions.map(({ content }) => questionKeyOf(content));
  const asked = await tx.$queryRaw<{ id: string }[]>`
    DELETE FROM "EvaluationCase" WHERE "workspaceId" = ${workspaceId}
      AND ("agentId", "questionKey") IN (SELECT * FROM unnest(${agentIds}::text[], ${keys}::text[]))
    RETURNING "id"`;
  const texts = questions.map(({ content }) => content.trim());
  const undone = await tx.$queryRaw<{ runId: string; wasOpen: boolean }[]>`
    UPDATE "EvaluationResult" AS result SET "question" = '', "expectedText" = NULL, "answer" = NULL,
      "passed" = coalesce(result."passed", false), "failure" = 'The question was erased with the person who asked it.'
    FROM (
      SELECT "id", "passed" IS NULL AS "wasOpen" FROM "EvaluationResult" WHERE "workspaceId" = ${workspaceId}
        AND ("caseId" = ANY (${asked.map(({ id }) => id)}::text[]) OR "question" = ANY (${texts}::text[]))
      ORDER BY "id" FOR UPDATE
    ) AS held
    WHERE result."workspaceId" = ${workspaceId} AND result."id" = held."id" RETURNING result."runId", held."wasOpen"`;
  for (const [id, results] of Map.groupBy(undone, ({ runId }) => runId)) {
    const open = results.filter(({ wasOpen }) => wasOpen).length;
    if (open === 0) continue;
    await tx.evaluationRun.updateMany({ where: { workspaceId, id }, data: { doneCount: { increment: open } } });
  }
  return { evaluationCases: asked.length, evaluationResults: undone.length };
}

/** Removes addresses of visitors, and values that name the person, from the audit log. Its ids stay. */
async function cleanAuditEntries(tx: Transaction, { workspaceId, names, ...rows }: Person): Promise<number> {
  const ofVisitor = await tx.$executeRaw`
    UPDATE "AuditEntry" SET "address" = NULL WHERE "workspaceId" = ${workspaceId} AND "actorKind" = 'visitor'
      AND "address" IS NOT NULL AND "rowId" = ANY (${[...rows.leadIds, ...rows.conversationIds]}::text[])`;
  // Roles and states stay, whatever a person is called: an erasure must not remove the traces of other changes.
  const naming = await tx.$executeRaw`
    UPDATE "AuditEntry" SET "changes" = "changes" - ARRAY(SELECT jsonb_object_keys("changes" - ${plainFields}::text[]))
    WHERE "workspaceId" = ${workspaceId} AND "changes" <> '{}' AND "changes" - ${plainFields}::text[] <> '{}' AND EXISTS (
      SELECT FROM jsonb_path_query("changes" - ${plainFields}::text[], '$.**') AS value,
        unnest(${names.filter((name) => name.length > 3)}::text[]) AS name
      WHERE jsonb_typeof(value) = 'string' AND position(name IN value #>> '{}') > 0)`;
  return ofVisitor + naming;
}
