import { z } from 'zod';
import type { Context } from '../../context.ts';
import { conflict, invalid, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import type { Transaction } from '../../database/client.ts';
import type { Gap } from '../../database/generated/prisma/client.ts';
import { change } from '../../database/query/write.ts';
import { cleanLine, cleanText } from '../../knowledge/extract/clean.ts';
import { listRule } from '../../lists/list.ts';
import { parseInput } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';
import { addSource } from './sources.ts';

export const gapList = listRule({
  model: 'Gap',
  permission: 'bases.read',
  analytics: { except: [] },
  orders: { lastAskedAt: { type: 'date' }, count: { type: 'text', columns: { asc: 'rank', desc: 'rank' } } },
  filters: {
    state: { kind: 'in', column: 'state' },
    agentId: { kind: 'equals', column: 'agentId' },
    lastAskedAt: { kind: 'range', column: 'lastAskedAt' },
    ids: { kind: 'in', column: 'id' },
    agentIds: { kind: 'in', column: 'agentId' },
    count: { kind: 'number', column: 'count' },
    firstAskedAt: { kind: 'range', column: 'firstAskedAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
    agent: { kind: 'relation', relation: 'agent', model: 'Agent' },
    proposals: { kind: 'relation', relation: 'proposals', model: 'GapProposal', isMany: true },
  },
  groups: {
    moments: ['lastAskedAt', 'firstAskedAt'],
    by: {
      state: { kind: 'value', column: 'state' },
      agent: { kind: 'related', column: 'agentId', model: 'Agent', allowed: ['name'] },
    },
    numbers: ['count'],
    distinct: ['agentId'],
  },
});

export const gapQuestionList = listRule({
  model: 'GapQuestion',
  permission: 'bases.read',
  analytics: { except: [] },
  orders: { askedAt: { type: 'date' } },
  filters: {
    reason: { kind: 'in', column: 'reason' },
    askedAt: { kind: 'range', column: 'askedAt' },
  },
  groups: {
    moments: ['askedAt'],
    by: {
      reason: { kind: 'value', column: 'reason' },
      gap: { kind: 'related', column: 'gapId', model: 'Gap' },
    },
    distinct: ['gapId'],
  },
});

export const gapProposalList = listRule({
  model: 'GapProposal',
  permission: 'bases.read',
  analytics: { except: ['createdBy'] },
  orders: { createdAt: { type: 'date' } },
  filters: {
    createdAt: { kind: 'range', column: 'createdAt' },
  },
  groups: {
    moments: ['createdAt'],
    by: { gap: { kind: 'related', column: 'gapId', model: 'Gap' } },
    distinct: ['gapId'],
  },
});

/** The maximum length of a question. */
const maxLength = 2_000;
/** Text that is not empty after cleaning. */
const words = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => cleanText(text).trim(), 'must not be empty');
const answerInput = z.object({ answer: words(20_000), question: words(maxLength).nullish() });
type GapAnswer = {
  gapId: string;
  baseId: string;
  answer?: string | null | undefined;
  question?: string | null | undefined;
  proposalId?: string | null | undefined;
};

/**
 * Adds a question without an answer, and its answer, to a base as a source. The gap counts as answered until the same
 * question fails again. `answer` defaults to the text of a proposal, by default the newest one, and `question` to the
 * question that it answers, otherwise to the gap's latest, cut to the maximum length. Throws 400, 404 for any id, and
 * 409 if the gap is already answered.
 */
export async function answerGap(context: Context, { gapId, baseId, proposalId, ...given }: GapAnswer): Promise<Gap> {
  permit(context, 'bases.write');
  // The text of a proposal is that of a message.
  if (given.answer == null) permit(context, 'conversations.read');
  const { workspaceId } = context.viewer;
  return context.queue.transact(async (tx) => {
    const gap = await tx.gap.findFirst({
      where: { workspaceId, id: gapId },
      select: { questions: { orderBy: [{ askedAt: 'desc' }, { id: 'desc' }], take: 1, select: { message: true } } },
    });
    if (!gap) throw notFound('Gap');
    const accepted = given.answer == null || proposalId ? await findProposal(context, tx, { gapId, proposalId }) : null;
    const { answer, question } = parseInput(answerInput, {
      ...given,
      answer: given.answer ?? accepted?.message.content ?? '',
    });
    const questionText = question ?? cleanLine((accepted?.question ?? gap.questions[0])?.message.content, maxLength);
    if (!questionText) throw invalid('question: must not be empty');
    const source = await addSource(context, baseId, {
      type: 'faq',
      file: { data: { question: questionText, answer } },
    });
    const [answered] = await tx.gap.updateManyAndReturn({
      where: { workspaceId, id: gapId, state: { not: 'answered' } },
      data: { state: 'answered', sourceId: source.id, updatedBy: actorOf(context.viewer) },
    });
    if (!answered) throw conflict('The gap has already been answered: update its source instead.');
    return answered;
  });
}

/**
 * Returns a proposal of a gap, by default the newest, with its text and question. Throws 400 if there is none, and 404.
 */
async function findProposal(
  context: Context,
  tx: Transaction,
  { gapId, proposalId }: Pick<GapAnswer, 'gapId' | 'proposalId'>,
) {
  const found = await tx.gapProposal.findFirst({
    where: { workspaceId: context.viewer.workspaceId, gapId, ...(proposalId && { id: proposalId }) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: {
      message: { select: { content: true } },
      question: { select: { message: { select: { content: true } } } },
    },
  });
  if (found) return found;
  throw proposalId ? notFound('GapProposal') : invalid('answer: is required, since nobody has proposed one');
}

/** Dismisses a gap: it stays dismissed, however often it is asked. Throws 404. */
export const dismissGap = rowWrite({
  model: 'Gap',
  permission: 'bases.write',
  prepare: (context, { gapId }: { gapId: string }) =>
    change('Gap', rowWithId(context, gapId), { state: 'dismissed', updatedBy: actorOf(context.viewer) }),
});
