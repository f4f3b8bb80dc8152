import { value } from '../../src/core/value-kinds.ts';
import { deleteRun, evaluateAgent, resultList, runList } from '../../src/domain/evaluations/runs.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';
import { auditFields } from '../workspace/actors.ts';

const EvaluationStatus = builder.enumType('EvaluationStatus', {
  description: 'The status of an evaluation.',
  values: {
    in_progress: { description: 'Some cases are not done yet.' },
    succeeded: { description: 'All cases are done, passed or not.' },
    failed: { description: 'The evaluation ended before all cases were done; `reason` says why.' },
  } as const,
});

const EvaluationResult = builder.prismaNode('EvaluationResult', {
  description: 'The result of one case in an evaluation, with the case as it was then.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the result.' },
  nullable: true,
  findUnique: rowById('EvaluationResult'),
  fields: (t) => ({
    runId: t.exposeID('runId', { description: 'ID of the evaluation.' }),
    caseId: t.exposeID('caseId', { description: 'ID of the case, which may have been changed or deleted since.' }),
    position: t.exposeInt('position', { description: 'Position of the case in the evaluation, counted from 0.' }),
    question: t.exposeString('question', { description: 'The question.' }),
    expectedSourceId: t.exposeID('expectedSourceId', {
      nullable: true,
      description: 'ID of the expected source, which may have been deleted since. `null` for any.',
    }),
    expectedText: t.exposeString('expectedText', { nullable: true, description: 'The expected text. `null` for any.' }),
    passed: t.exposeBoolean('passed', {
      nullable: true,
      description:
        'Whether everything that is expected came true: the source is among the 6 passages that a model is given, and ' +
        'is cited; the text is contained. `null` until the case is done.',
    }),
    rank: t.exposeInt('rank', {
      nullable: true,
      description:
        'Rank, from 1, of the first passage of the expected source, or without one of the first that contains the ' +
        'expected text. `null` if it is not among the first 20.',
    }),
    contained: t.exposeBoolean('contained', {
      nullable: true,
      description:
        'Whether the answer, or without one a passage that a model is given, contains the expected text. `null` if ' +
        'none is expected.',
    }),
    cited: t.exposeBoolean('cited', {
      nullable: true,
      description:
        'Whether the answer cites the expected source. `null` if there is no answer, none is expected, or the agent ' +
        'gives no references.',
    }),
    answer: t.exposeString('answer', {
      nullable: true,
      description: "The answer of the agent's model. `null` if it was not asked, or failed.",
    }),
    failure: t.exposeString('failure', {
      nullable: true,
      description: 'Why the model gave no answer. `null` if it did, or was not asked.',
    }),
    newlyFailing: t.exposeBoolean('newlyFailing', {
      description: 'Whether the case failed, and had passed in the evaluation before.',
    }),
    run: t.relation('run', { description: 'The evaluation.' }),
  }),
});

const EvaluationResultList = defineList(EvaluationResult, 'EvaluationResult', resultList, {
  orders: { position: 'The position of the case in the evaluation.' },
  filter: {
    passed: { type: 'Boolean', description: 'Results that passed (`true`) or failed (`false`).' },
    newlyFailing: {
      type: 'Boolean',
      description: 'Results that failed and had passed before (`true`), or all others (`false`).',
    },
  },
});

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

const EvaluationRun = builder.prismaNode('EvaluationRun', {
  description: 'An evaluation of an agent by its cases.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the evaluation.' },
  nullable: true,
  findUnique: rowById('EvaluationRun'),
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'ID of the agent.' }),
    status: t.expose('status', { type: EvaluationStatus, description: 'The status of the evaluation.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it failed. `null` if it did not.' }),
    answers: t.exposeBoolean('answers', {
      description: "Whether the agent's model answers the questions, or they are only searched for.",
    }),
    caseCount: t.exposeInt('caseCount', { extensions: value('count'), description: 'Number of cases.' }),
    doneCount: t.exposeInt('doneCount', { extensions: value('count'), description: 'Number of cases that are done.' }),
    passedCount: t.exposeInt('passedCount', {
      extensions: value('count'),
      description: 'Number of cases that passed.',
    }),
    foundCount: t.exposeInt('foundCount', {
      extensions: value('count'),
      description: 'Number of cases whose expected source or text is among the 6 passages that a model is given.',
    }),
    newlyFailingCount: t.exposeInt('newlyFailingCount', {
      extensions: value('count'),
      description: 'Number of cases that failed and had passed in the evaluation before.',
    }),
    passedShare: t.float({
      nullable: true,
      description: 'Share of the cases done that passed, from 0 to 1. `null` while none is done.',
      extensions: { ...value('share'), parleyColumns: ['passedCount', 'doneCount'] },
      resolve: ({ passedCount, doneCount }) => share(passedCount, doneCount),
    }),
    foundShare: t.float({
      nullable: true,
      description: 'Share of the cases done whose expectation was found, from 0 to 1. `null` while none is done.',
      extensions: { ...value('share'), parleyColumns: ['foundCount', 'doneCount'] },
      resolve: ({ foundCount, doneCount }) => share(foundCount, doneCount),
    }),
    previousId: t.exposeID('previousId', {
      nullable: true,
      description: 'ID of the evaluation that it is compared with, which may have been deleted. `null` for the first.',
    }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    ...auditFields(t),
    agent: t.relation('agent', { description: 'The agent.' }),
    results: relatedConnection(t, 'results', EvaluationResultList, {
      description: 'The results, one for each case, in the order of the cases.',
    }),
  }),
});

const EvaluationRunList = defineList(EvaluationRun, 'EvaluationRun', runList, {
  orders: { createdAt: 'When the evaluation was started.' },
  filter: {
    agentId: { type: 'ID', description: 'Evaluations of this agent.' },
    status: { type: EvaluationStatus, description: 'Evaluations with one of these statuses.' },
    answers: { type: 'Boolean', description: 'Evaluations with answers of the model (`true`) or without (`false`).' },
    ids: { type: 'ID', description: 'Evaluations with one of these IDs.' },
    newlyFailingCount: { description: 'Number of cases that failed and had passed in the evaluation before.' },
    createdAt: { description: 'Evaluations started in this time range.' },
    agent: { list: 'Agent', description: 'Evaluations whose agent matches this filter.' },
  },
  groups: {
    moments: { createdAt: 'When the evaluation was started.' },
    by: {
      status: { type: EvaluationStatus, description: 'The status of the evaluation.' },
      agent: { description: 'The agent.' },
    },
    numbers: {
      caseCount: 'Number of cases.',
      passedCount: 'Number of cases that passed.',
      newlyFailingCount: 'Number of cases that failed and had passed in the evaluation before.',
    },
    distinct: { agentId: 'The agents.' },
  },
});

builder.prismaObjectField('Agent', 'evaluationRuns', (t) =>
  relatedConnection(t, 'evaluationRuns', EvaluationRunList, {
    description: 'The evaluations of the agent, newest first. The 50 newest are kept.',
  }),
);

builder.queryFields((t) => ({
  evaluationRuns: rootConnection(t, EvaluationRunList, 'The evaluations of all agents, newest first.'),
  evaluationRun: rootRow(t, EvaluationRunList, 'Returns an evaluation by ID.'),
}));

rowMutation('evaluateAgent', {
  description:
    'Starts to evaluate an agent by its cases, in the background: searches for each question as for a message and, ' +
    'with `answers`, has the model answer it. Uses no interactions and calls no plugins. Only one evaluation of an ' +
    'agent may be in progress, otherwise `conflict`.',
  payload: { field: 'evaluationRun', type: EvaluationRun, description: 'The evaluation, in progress.' },
  expensive: true,
  input: (t) => ({
    agentId: t.id({ required: true, description: 'ID of the agent.' }),
    answers: t.boolean({
      description:
        "Whether the agent's model answers the questions, at its usual price. Defaults to `true` if a model is " +
        'configured for the agent, and to `false` for the embedded model.',
    }),
  }),
  permission: 'evaluations.write',
  resolve: (context, input) => evaluateAgent(context, input),
});

deleteMutation('deleteEvaluationRun', {
  description: 'Deletes an evaluation with its results. One that is in progress ends.',
  what: 'evaluationRun',
  write: deleteRun,
});
