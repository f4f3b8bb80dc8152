import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { conflict, invalid, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import { lockNames } from '../../database/advisory.ts';
import { type Transaction, transact } from '../../database/client.ts';
import type { EvaluationCase } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { findRow } from '../../database/query/find-row.ts';
import { change, removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { containsText, fold } from '../../text/fold.ts';
import { findAgent } from '../agents/agents.ts';
import { optionalText, parseInput, requiredText } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';

export const caseList = listRule({
  model: 'EvaluationCase',
  permission: 'evaluations.read',
  analytics: { except: ['question', 'expectedText'] },
  orders: { createdAt: { type: 'date' }, updatedAt: { type: 'date' } },
  filters: {
    agentId: { kind: 'equals', column: 'agentId' },
    sourceId: { kind: 'equals', column: 'expectedSourceId', nullable: true },
    ids: { kind: 'in', column: 'id' },
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
    agent: { kind: 'relation', relation: 'agent', model: 'Agent' },
  },
  search: (term) => ({ searchText: containsText(term) }),
  groups: {
    moments: ['createdAt', 'updatedAt'],
    by: {
      agent: { kind: 'related', column: 'agentId', model: 'Agent', allowed: ['name'] },
      source: { kind: 'related', column: 'expectedSourceId', model: 'Source' },
    },
    distinct: ['agentId', 'expectedSourceId'],
  },
});

/** How many cases an agent may have. */
const maxCases = 500;
const maxQuestionLength = 2_000;

const expectation = {
  expectedSourceId: z.string().nullable().optional(),
  expectedText: optionalText()
    .refine((text) => text === null || text.trim() !== '', 'must not be empty')
    .optional(),
};
const caseInput = z.object({ question: requiredText(maxQuestionLength), ...expectation });
type CaseInput = z.input<typeof caseInput>;
const missing = 'expectedSourceId: name the expected source, or give expectedText';

/** Equal for questions that differ only in case, accents and punctuation. */
export const questionKeyOf = (question: string): string =>
  createHash('sha256')
    .update(
      fold(question)
        .match(/[\p{L}\p{N}]+/gu)
        ?.join(' ') ?? question.trim(),
    )
    .digest('base64url');

/** The columns that follow from a question. */
const describe = (question: string) => ({
  question,
  searchText: fold(question),
  questionKey: questionKeyOf(question),
});

async function requireSource({ database, viewer }: Context, id: string): Promise<void> {
  const where = { workspaceId: viewer.workspaceId, id };
  if (!(await database.source.findFirst({ where, select: { id: true } }))) throw notFound('Source');
}

/**
 * How many more cases the agent may have; until the transaction ends, no other one adds cases to it. Throws 409 if it
 * may have none.
 */
async function roomForCases(tx: Transaction, workspaceId: string, agentId: string): Promise<number> {
  await lockNames(tx, [`evaluations ${agentId}`]);
  const room = maxCases - (await tx.evaluationCase.count({ where: { workspaceId, agentId } }));
  if (room <= 0) throw conflict(`An agent has at most ${maxCases} evaluation cases: delete some first.`);
  return room;
}

/**
 * Adds a case to an agent. Throws 400, 404 for the agent or the source, and 409 for a question that it has already, or
 * if it has 500 cases.
 */
export async function createCase(
  context: Context,
  { agentId, ...input }: CaseInput & { agentId: string },
): Promise<EvaluationCase> {
  permit(context, 'evaluations.write');
  const { question, expectedSourceId = null, expectedText = null } = parseInput(caseInput, input);
  if (expectedSourceId === null && expectedText === null) throw invalid(missing);
  const { workspaceId } = await findAgent(context, agentId);
  if (expectedSourceId) await requireSource(context, expectedSourceId);
  const actor = actorOf(context.viewer);
  const expected = { expectedSourceId, expectedText };
  return transact(context.database, async (tx) => {
    await roomForCases(tx, workspaceId, agentId);
    const of = { id: newId('evaluationCase'), workspaceId, agentId, createdBy: actor, updatedBy: actor };
    return tx.evaluationCase.create({ data: { ...of, ...describe(question), ...expected } });
  });
}

/** Changes what is given of a case. Throws 400, 404 for the case or the source, and 409 as `createCase` does. */
export const updateCase = rowWrite({
  model: 'EvaluationCase',
  permission: 'evaluations.write',
  prepare: async (context, { id, ...input }: Partial<CaseInput> & { id: string }) => {
    const { question, ...expected } = parseInput(caseInput.partial(), input);
    const known = await findRow(context, 'EvaluationCase', rowWithId(context, id));
    if (!known) throw notFound('EvaluationCase');
    const { expectedSourceId, expectedText } = { ...known, ...expected };
    if (expectedSourceId === null && expectedText === null) throw invalid(missing);
    if (expected.expectedSourceId) await requireSource(context, expected.expectedSourceId);
    const data = { ...(question !== undefined && describe(question)), ...expected };
    return change('EvaluationCase', rowWithId(context, id), { ...data, updatedBy: actorOf(context.viewer) });
  },
});

/** Deletes a case; results of earlier runs stay. Throws 404. */
export const deleteCase = rowWrite({
  model: 'EvaluationCase',
  permission: 'evaluations.write',
  prepare: (context, { id }: { id: string }) => removal('EvaluationCase', rowWithId(context, id)),
});

const amount = `must be between 1 and ${maxCases}`;
const spanInput = z.object({
  first: z
    .int()
    .min(1, amount)
    .max(maxCases, amount)
    .nullish()
    .transform((first) => first ?? 50),
});
type CasesFrom = {
  agentId: string;
  from?: Date | null | undefined;
  to?: Date | null | undefined;
  first?: number | null | undefined;
};

/** How many replies are read at most. */
const maxReplies = 5_000;
/** Ends of time, for spans without one. */
const [past, future] = [new Date(0), new Date('9999-12-31')];

type Cited = { question: string; sourceId: string };

/**
 * Makes cases of the questions that an agent answered with citations in a span of time, newest first: each expects the
 * source that the reply cites first. Leaves out previews, replies that people disliked, questions that are understood
 * only with the one before, and questions that the agent has a case for. Returns the new cases. Throws 400, 404, and
 * 409 if the agent has too many already.
 */
export async function createCases(
  context: Context,
  { agentId, from, to, ...input }: CasesFrom,
): Promise<EvaluationCase[]> {
  permit(context, 'evaluations.write');
  const { first } = parseInput(spanInput, input);
  const { workspaceId } = await findAgent(context, agentId);
  const actor = actorOf(context.viewer);
  return transact(context.database, async (tx) => {
    const room = await roomForCases(tx, workspaceId, agentId);
    const asked = await tx.$queryRaw<Cited[]>`
      SELECT asked."content" AS question, cited."sourceId" FROM (
        SELECT * FROM "Message" WHERE "workspaceId" = ${workspaceId} AND "agentId" = ${agentId} AND "role" = 'assistant'
          AND "createdBy" IS NULL AND "rating" IS DISTINCT FROM 'dislike'
          AND "createdAt" >= ${from ?? past} AND "createdAt" < ${to ?? future}
          AND EXISTS (SELECT FROM "Citation" AS any_cited
            WHERE any_cited."workspaceId" = ${workspaceId} AND any_cited."messageId" = "Message"."id")
        ORDER BY "createdAt" DESC, "id" DESC LIMIT ${maxReplies}
      ) AS reply
      JOIN "Conversation" AS conversation
        ON conversation."workspaceId" = ${workspaceId} AND conversation."id" = reply."conversationId"
        AND NOT conversation."preview"
      LEFT JOIN "MessageTrace" AS trace ON trace."workspaceId" = ${workspaceId} AND trace."messageId" = reply."id"
      CROSS JOIN LATERAL (
        SELECT "content" FROM "Message" WHERE "workspaceId" = ${workspaceId}
          AND "conversationId" = reply."conversationId" AND "position" < reply."position"
          AND "role" = 'user' AND "content" IS NOT NULL
        ORDER BY "position" DESC LIMIT 1
      ) AS asked
      CROSS JOIN LATERAL (
        SELECT citation."sourceId" FROM jsonb_array_elements(reply."metadata" -> 'references') WITH ORDINALITY AS mark(reference, place)
        JOIN "Citation" AS citation ON citation."workspaceId" = ${workspaceId} AND citation."messageId" = reply."id"
          AND citation."sourceId" = mark.reference ->> 'sourceId'
        ORDER BY place LIMIT 1
      ) AS cited
      WHERE coalesce(trace."data" -> 'retrieval' ->> 'query', asked."content") = asked."content"
      ORDER BY reply."createdAt" DESC, reply."id" DESC`;
    const made = new Map<string, ReturnType<typeof describe> & Cited>();
    for (const { question, sourceId } of asked) {
      const row = { ...describe(question.trim()), sourceId };
      if (question.trim().length <= maxQuestionLength && !made.has(row.questionKey)) made.set(row.questionKey, row);
    }
    const known = await tx.evaluationCase.findMany({
      where: { workspaceId, agentId },
      select: { questionKey: true },
    });
    for (const { questionKey } of known) made.delete(questionKey);
    const time = Date.now();
    const rows = [...made.values()].slice(0, Math.min(first, room)).map(({ sourceId, ...row }, index) => ({
      ...row,
      // A millisecond apart, so that ids sort in this order.
      id: newId('evaluationCase', time + index),
      workspaceId,
      agentId,
      expectedSourceId: sourceId,
      createdBy: actor,
      updatedBy: actor,
    }));
    if (rows.length === 0) return [];
    return tx.evaluationCase.createManyAndReturn({ data: rows, skipDuplicates: true });
  });
}
