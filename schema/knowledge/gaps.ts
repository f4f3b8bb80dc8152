import { needs } from '../../src/core/permissions.ts';
import { value } from '../../src/core/value-kinds.ts';
import { answerGap, dismissGap, gapList, gapProposalList, gapQuestionList } from '../../src/domain/knowledge/gaps.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';
import { actorField } from '../workspace/actors.ts';

const GapState = builder.enumType('GapState', {
  description: 'The state of a gap.',
  values: {
    open: { description: 'The question has no answer yet.' },
    answered: { description: 'A source was created from it. If it is asked again without an answer, it is reopened.' },
    dismissed: { description: 'The gap was dismissed, and stays dismissed.' },
  } as const,
});

const GapReason = builder.enumType('GapReason', {
  description: 'Why a question could not be answered.',
  values: {
    nothing_found: { description: 'The knowledge bases of the agent contain nothing about it.' },
    unknown: { description: 'Passages were found, but the agent said that it does not know, or cited none of them.' },
  } as const,
});

const GapQuestion = builder.prismaNode('GapQuestion', {
  description: 'A message with a question that an agent could not answer.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the question.' },
  nullable: true,
  findUnique: rowById('GapQuestion'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace that the question belongs to.' }),
    messageId: t.exposeID('messageId', { description: 'ID of the message.' }),
    reason: t.expose('reason', { type: GapReason, description: 'Why the question could not be answered.' }),
    askedAt: t.expose('askedAt', { type: 'DateTime', description: 'When the question was asked.' }),
    gap: t.relation('gap', { description: 'The gap that the question is counted in.' }),
    message: t.relation('message', { description: 'The message, in the words of the person who asked.' }),
  }),
});

const GapQuestionList = defineList(GapQuestion, 'GapQuestion', gapQuestionList, {
  orders: { askedAt: 'When the question was asked.' },
  filter: {
    reason: { type: GapReason, description: 'Questions that could not be answered for one of these reasons.' },
    askedAt: { description: 'Questions asked in this time range.' },
  },
  groups: {
    moments: { askedAt: 'When the question was asked.' },
    by: {
      reason: { type: GapReason, description: 'Why the question could not be answered.' },
      gap: { description: 'The gap that the question belongs to.' },
    },
    distinct: { gapId: 'The gaps that the questions belong to.' },
  },
});

const GapProposal = builder.prismaNode('GapProposal', {
  description:
    'A proposed answer to a gap: what a person replied, in place of the agent, after the agent left the question ' +
    'unanswered.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the proposal.' },
  nullable: true,
  findUnique: rowById('GapProposal'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace that the proposal belongs to.' }),
    gapId: t.exposeID('gapId', { description: 'ID of the gap.' }),
    questionId: t.exposeID('questionId', { description: 'ID of the question that the person replied to.' }),
    messageId: t.exposeID('messageId', { description: "ID of the person's message." }),
    text: t.string({
      description: "The text of the person's message. Requires the permission `conversations.read`.",
      extensions: needs('conversations.read'),
      select: { message: { select: { content: true } } },
      resolve: ({ message }) => message.content ?? '',
    }),
    createdBy: t.exposeID('createdBy', {
      nullable: true,
      description: 'ID of the user, app or key that wrote the message.',
    }),
    creator: actorField(t, 'createdBy', 'Who wrote the message'),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the message was sent.' }),
    gap: t.relation('gap', { description: 'The gap.' }),
    question: t.relation('question', { description: 'The question that the person replied to.' }),
    message: t.relation('message', {
      description: "The person's message. Requires the permission `conversations.read`.",
      extensions: needs('conversations.read'),
    }),
  }),
});

const GapProposalList = defineList(GapProposal, 'GapProposal', gapProposalList, {
  orders: { createdAt: 'When the message was sent.' },
  filter: {
    createdAt: { description: 'Proposals sent in this time range.' },
  },
  groups: {
    moments: { createdAt: 'When the message was sent.' },
    by: { gap: { description: 'The gap that the proposal belongs to.' } },
    distinct: { gapId: 'The gaps that the proposals belong to.' },
  },
});

const newest = [{ askedAt: 'desc' }, { id: 'desc' }] as const;

export const Gap = builder.prismaNode('Gap', {
  description: 'Questions with the same meaning, judging by their words, that an agent could not answer.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the gap.' },
  nullable: true,
  findUnique: rowById('Gap'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace that the gap belongs to.' }),
    agentId: t.exposeID('agentId', { description: 'ID of the agent that was asked.' }),
    state: t.expose('state', { type: GapState, description: 'The state of the gap.' }),
    question: t.string({
      description: 'The question, in the words of the person who asked it last.',
      select: { questions: { take: 1, orderBy: [...newest], select: { message: { select: { content: true } } } } },
      resolve: ({ questions }) => questions[0]?.message.content ?? '',
    }),
    count: t.exposeInt('count', {
      extensions: value('count'),
      description: 'Number of times the question was asked, excluding messages that were deleted since.',
    }),
    firstAskedAt: t.expose('firstAskedAt', { type: 'DateTime', description: 'When the question was first asked.' }),
    lastAskedAt: t.expose('lastAskedAt', { type: 'DateTime', description: 'When the question was last asked.' }),
    sourceId: t.exposeID('sourceId', {
      nullable: true,
      description:
        'ID of the source last created from the gap, which may have been deleted since. `null` if there was none.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the gap was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the gap was last updated.' }),
    agent: t.relation('agent', { description: 'The agent that was asked.' }),
    questions: relatedConnection(t, 'questions', GapQuestionList, {
      description: 'The messages that asked the question, newest first.',
    }),
    proposedAnswer: t.field({
      type: GapProposal,
      nullable: true,
      description: 'The newest proposed answer, which `answerGap` accepts by default. `null` if there is none.',
      select: { proposals: { take: 1, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] } },
      resolve: ({ proposals }) => proposals[0] ?? null,
    }),
    proposals: relatedConnection(t, 'proposals', GapProposalList, {
      description: 'The proposed answers, newest first. A gap keeps the 10 newest.',
    }),
  }),
});

export const GapList = defineList(Gap, 'Gap', gapList, {
  orders: {
    lastAskedAt: 'When the question was last asked.',
    count: 'Number of times the question was asked, then when it was last asked.',
  },
  filter: {
    state: { type: GapState, description: 'Gaps in this state.' },
    agentId: { type: 'ID', description: 'Gaps of this agent.' },
    lastAskedAt: { description: 'Gaps last asked in this time range.' },
    ids: { type: 'ID', description: 'Gaps with one of these IDs.' },
    agentIds: { type: 'ID', description: 'Gaps of one of these agents.' },
    count: { description: 'Number of times the question was asked.' },
    firstAskedAt: { description: 'Gaps first asked in this time range.' },
    updatedAt: { description: 'Gaps last updated in this time range.' },
    agent: { list: 'Agent', description: 'Gaps whose agent matches this filter.' },
    proposals: {
      list: 'GapProposal',
      description: 'Gaps with a proposed answer that matches this filter; `{}` for any.',
    },
  },
  groups: {
    moments: { lastAskedAt: 'When the question was last asked.', firstAskedAt: 'When the question was first asked.' },
    by: {
      state: { type: GapState, description: 'The state of the gap.' },
      agent: { description: 'The agent that was asked.' },
    },
    numbers: { count: 'Number of times the question was asked.' },
    distinct: { agentId: 'The agents that were asked.' },
  },
});

builder.queryFields((t) => ({
  gaps: rootConnection(t, GapList, 'Questions that agents could not answer, most recently asked first.'),
  gap: rootRow(t, GapList, 'Returns a gap by ID.'),
}));

const payload = { field: 'gap', type: Gap, description: 'The gap after the change.' };
const gapId = (t: InputBuilder) => t.id({ required: true, description: 'ID of the gap.' });

rowMutation('answerGap', {
  description:
    'Answers a gap by adding a source of type faq to a knowledge base. The source is read in the background; ' +
    'agents that use the base then answer from it. If the question is asked again without an answer, the gap ' +
    'is reopened.',
  payload,
  expensive: true,
  input: (t) => ({
    gapId: gapId(t),
    baseId: t.id({ required: true, description: 'ID of the knowledge base to add the source to.' }),
    answer: t.string({
      description: 'The answer. Required unless there is a proposed one, whose text is the default.',
    }),
    question: t.string({
      description:
        'The question, reworded. Defaults to its last wording, or to the one that the accepted proposal replied to.',
    }),
    proposalId: t.id({ description: 'ID of the proposal to accept. Defaults to the newest if `answer` is omitted.' }),
  }),
  permission: 'bases.write',
  resolve: (context, input) => answerGap(context, input),
});

rowMutation('dismissGap', {
  updates: { model: 'Gap', key: ({ viewer: { workspaceId } }, { gapId: id = '' }) => ({ workspaceId, id }) },
  description: 'Dismisses a gap permanently: it is still counted when it is asked again, but stays dismissed.',
  payload,
  input: (t) => ({ gapId: gapId(t) }),
  write: dismissGap,
});
