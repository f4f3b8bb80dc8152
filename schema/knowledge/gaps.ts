import { limitOf } from '../../src/database/query/row-limits.ts';
import { answerGap, dismissGap, gapList, gapQuestionList } from '../../src/domain/knowledge/gaps.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { type InputBuilder, rowMutation } from '../shared/mutations.ts';

const GapState = builder.enumType('GapState', {
  description: 'What became of a gap.',
  values: {
    open: { description: 'It has no answer.' },
    answered: { description: 'A source was made of it. Asked again without an answer, it is open again.' },
    dismissed: { description: 'It is put aside, and stays so.' },
  } as const,
});

const GapReason = builder.enumType('GapReason', {
  description: 'Why a question left a gap.',
  values: {
    nothing_found: { description: 'The bases of the agent hold nothing about it.' },
    unknown: { description: 'Something was found, and the agent said that it does not know, or cited nothing of it.' },
  } as const,
});

const GapQuestion = builder.prismaNode('GapQuestion', {
  description: 'A message that asked what an agent could not answer.',
  id: { field: 'id', description: 'The id of the question.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId, AND: limitOf('GapQuestion', viewer) }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that it belongs to.' }),
    messageId: t.exposeID('messageId', { description: 'The id of the message.' }),
    reason: t.expose('reason', { type: GapReason, description: 'Why it left a gap.' }),
    askedAt: t.expose('askedAt', { type: 'DateTime', description: 'When it was asked.' }),
    gap: t.relation('gap', { description: 'The gap that it is counted in.' }),
    message: t.relation('message', { description: 'What was asked, in the words of who asked.' }),
  }),
});

const GapQuestionList = defineList(GapQuestion, 'GapQuestion', gapQuestionList, {
  orders: { askedAt: 'When it was asked.' },
  filter: {
    reason: { type: GapReason, description: 'Questions that left a gap for one of these reasons.' },
    askedAt: { description: 'Questions asked in this span of time.' },
  },
  groups: {
    moments: { askedAt: 'When it was asked.' },
    by: {
      reason: { type: GapReason, description: 'Why it had no answer.' },
      gap: { description: 'The gap that it belongs to.' },
    },
    distinct: { gapId: 'The gaps that they belong to.' },
  },
});

const newest = [{ askedAt: 'desc' }, { id: 'desc' }] as const;

const Gap = builder.prismaNode('Gap', {
  description: 'What an agent was asked and could not answer: questions of one meaning, as their words tell.',
  id: { field: 'id', description: 'The id of the gap.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId, AND: limitOf('Gap', viewer) }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that it belongs to.' }),
    agentId: t.exposeID('agentId', { description: 'The id of the agent that was asked.' }),
    state: t.expose('state', { type: GapState, description: 'What became of it.' }),
    question: t.string({
      description: 'What was asked, in the words of who asked last.',
      select: { questions: { take: 1, orderBy: [...newest], select: { message: { select: { content: true } } } } },
      resolve: ({ questions }) => questions[0]?.message.content ?? '',
    }),
    count: t.exposeInt('count', { description: 'How often it was asked; what was deleted since is not counted.' }),
    firstAskedAt: t.expose('firstAskedAt', { type: 'DateTime', description: 'When it was asked first.' }),
    lastAskedAt: t.expose('lastAskedAt', { type: 'DateTime', description: 'When it was asked last.' }),
    sourceId: t.exposeID('sourceId', {
      nullable: true,
      description: 'The id of the source that was made of it last, which may be gone since; null when none was.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was met first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    agent: t.relation('agent', { description: 'The agent that was asked.' }),
    questions: relatedConnection(t, 'questions', GapQuestionList, {
      description: 'The messages that asked it, newest first.',
    }),
  }),
});

export const GapList = defineList(Gap, 'Gap', gapList, {
  orders: {
    lastAskedAt: 'When it was asked last.',
    count: 'How often it was asked, and among those asked as often when it was asked last.',
  },
  filter: {
    state: { type: GapState, description: 'Gaps that this became of.' },
    agentId: { type: 'ID', description: 'Gaps of this agent.' },
    lastAskedAt: { description: 'When it was asked last.' },
    ids: { type: 'ID', description: 'Gaps with one of these ids.' },
    agentIds: { type: 'ID', description: 'Gaps of one of these agents.' },
    count: { description: 'How often it was asked.' },
    firstAskedAt: { description: 'When it was asked first.' },
    updatedAt: { description: 'Gaps changed last in this span of time.' },
    agent: { list: 'Agent', description: 'Gaps whose agent meets this filter.' },
  },
  groups: {
    moments: { lastAskedAt: 'When it was asked last.', firstAskedAt: 'When it was asked first.' },
    by: {
      state: { type: GapState, description: 'What became of it.' },
      agent: { description: 'The agent that was asked.' },
    },
    numbers: { count: 'How often it was asked.' },
    distinct: { agentId: 'The agents that were asked.' },
  },
});

builder.queryFields((t) => ({
  gaps: rootConnection(t, GapList, 'What agents were asked and could not answer, the last asked first.'),
  gap: rootRow(t, GapList, 'One gap.'),
}));

const answers: [string, unknown, string] = ['gap', Gap, 'The gap as it is now.'];
const gapId = (t: InputBuilder) => t.id({ required: true, description: 'The id of the gap.' });

rowMutation('answerGap', {
  description:
    'Answers a gap: makes a source of type faq of it in a base, which is read in the background. An agent that has the ' +
    'base answers from it then. Asked again without an answer, the gap is open again.',
  answers,
  expensive: true,
  input: (t) => ({
    gapId: gapId(t),
    baseId: t.id({ required: true, description: 'The id of the base that gets the source.' }),
    answer: t.string({ required: true, description: 'The answer.' }),
    question: t.string({ description: 'The question, in better words; when left out, as it was asked last.' }),
  }),
  permission: 'bases.write',
  resolve: (context, input) => answerGap(context, input),
});

rowMutation('dismissGap', {
  updates: { model: 'Gap', key: ({ viewer: { workspaceId } }, { gapId: id = '' }) => ({ workspaceId, id }) },
  description: 'Puts a gap aside, for good: it is counted when it is asked again, and stays dismissed.',
  answers,
  input: (t) => ({ gapId: gapId(t) }),
  permission: 'bases.write',
  resolve: (context, { gapId }) => dismissGap(context, gapId),
});
