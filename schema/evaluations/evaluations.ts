import { caseList, createCase, createCases, deleteCase, updateCase } from '../../src/domain/evaluations/cases.ts';
import { builder } from '../builder.ts';
import { Source } from '../knowledge/sources.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';
import { auditFields } from '../workspace/actors.ts';

const EvaluationCase = builder.prismaNode('EvaluationCase', {
  description: 'A question that an agent is evaluated by, and what is expected: a source, a text, or both.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the case.' },
  nullable: true,
  findUnique: rowById('EvaluationCase'),
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'ID of the agent.' }),
    question: t.exposeString('question', { description: 'The question.' }),
    expectedSourceId: t.exposeID('expectedSourceId', {
      nullable: true,
      description: 'ID of the source to be found for the question, and cited by the answer. `null` for any.',
    }),
    expectedText: t.exposeString('expectedText', {
      nullable: true,
      description:
        'Text that the answer contains, or without an answer one of the passages that were found; case, accents and ' +
        'white space do not matter. `null` for any.',
    }),
    ...auditFields(t),
    agent: t.relation('agent', { description: 'The agent.' }),
    expectedSource: t.relation('expectedSource', {
      type: Source,
      nullable: true,
      description: 'The source to be found for the question. `null` for any.',
    }),
  }),
});

const EvaluationCaseList = defineList(EvaluationCase, 'EvaluationCase', caseList, {
  orders: { createdAt: 'When the case was created.', updatedAt: 'When the case was last updated.' },
  filter: {
    agentId: { type: 'ID', description: 'Cases of this agent.' },
    sourceId: { type: 'ID', description: 'Cases that expect this source.' },
    ids: { type: 'ID', description: 'Cases with one of these IDs.' },
    createdAt: { description: 'Cases created in this time range.' },
    updatedAt: { description: 'Cases last updated in this time range.' },
    agent: { list: 'Agent', description: 'Cases whose agent matches this filter.' },
  },
  search: 'Text to find in the question, ignoring case and accents.',
  groups: {
    moments: { createdAt: 'When the case was created.', updatedAt: 'When the case was last updated.' },
    by: {
      agent: { description: 'The agent.' },
      source: { description: 'The expected source.' },
    },
    distinct: { agentId: 'The agents.', expectedSourceId: 'The expected sources.' },
  },
});

builder.prismaObjectField('Agent', 'evaluationCases', (t) =>
  relatedConnection(t, 'evaluationCases', EvaluationCaseList, {
    description: 'The cases that the agent is evaluated by, newest first.',
  }),
);

builder.prismaObjectField('Source', 'evaluationCases', (t) =>
  relatedConnection(t, 'evaluationCases', EvaluationCaseList, {
    description: 'The evaluation cases that expect the source, newest first. They are deleted with it.',
  }),
);

builder.queryFields((t) => ({
  evaluationCases: rootConnection(t, EvaluationCaseList, 'The evaluation cases of all agents, newest first.'),
  evaluationCase: rootRow(t, EvaluationCaseList, 'Returns an evaluation case by ID.'),
}));

const payload = { field: 'evaluationCase', type: EvaluationCase, description: 'The case after the change.' };
const expected = (t: InputBuilder) => ({
  expectedSourceId: t.id({ description: 'ID of the source to be found. Required without `expectedText`.' }),
  expectedText: t.string({
    description: 'Text that the answer contains, at most 2,000 characters. Required without `expectedSourceId`.',
  }),
});

rowMutation('createEvaluationCase', {
  description:
    'Adds an evaluation case to an agent, which may have at most 500. A question that it already has, ignoring case, ' +
    'accents and punctuation, is a `conflict`.',
  payload,
  input: (t) => ({
    agentId: t.id({ required: true, description: 'ID of the agent.' }),
    question: t.string({ required: true, description: 'The question, at most 2,000 characters.' }),
    ...expected(t),
  }),
  permission: 'evaluations.write',
  resolve: (context, input) => createCase(context, input),
});

rowMutation('updateEvaluationCase', {
  description: 'Updates an evaluation case. Omitted fields are unchanged; `null` removes an expectation.',
  payload,
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the case.' }),
    question: t.string({ description: 'The question, at most 2,000 characters.' }),
    ...expected(t),
  }),
  write: updateCase,
});

deleteMutation('deleteEvaluationCase', {
  description: 'Deletes an evaluation case. Results of earlier runs stay.',
  what: 'evaluationCase',
  write: deleteCase,
});

rowMutation('createEvaluationCases', {
  description:
    'Creates evaluation cases from questions that an agent answered with citations in a time range, newest first. Each ' +
    'expects the source that the reply cites first. Previews, replies rated `dislike`, questions that need the one ' +
    'before to be understood, and questions that the agent has a case for are left out. Reads at most 5,000 replies.',
  payload: {
    field: 'evaluationCases',
    type: [EvaluationCase],
    description: 'The new cases, newest question first. Empty if there are none.',
  },
  input: (t) => ({
    agentId: t.id({ required: true, description: 'ID of the agent.' }),
    from: t.field({ type: 'DateTime', description: 'Replies sent at or after this time. Defaults to any.' }),
    to: t.field({ type: 'DateTime', description: 'Replies sent before this time. Defaults to any.' }),
    first: t.int({ description: 'Maximum number of cases to create, 1 to 500. Defaults to 50.' }),
  }),
  permission: 'evaluations.write',
  resolve: (context, input) => createCases(context, input),
});
