import { describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { caseFields, useEvaluations } from '../support/knowledge/evaluations.ts';
import { faq } from '../support/knowledge/knowledge.ts';

const gateway = useGateway();
const { home, other, ids, call, newAgent, add, ask, evaluate } = useEvaluations(gateway);

describe('evaluation cases', () => {
  test('are made of past questions that were answered with citations, each once, with the source', async () => {
    const agentId = await newAgent();
    const first = await ask(agentId, 'When is the pool open?');
    await ask(agentId, 'and in May?', { id: first.body.id });
    await ask(agentId, 'when is the POOL open');
    await ask(agentId, 'Is parking free?');
    await ask(agentId, 'Do you rent canoes?');
    await ask(agentId, 'Is parking free of charge?', { preview: true });
    const disliked = await ask(agentId, 'Is parking free for guests?');
    const { id } = disliked.body.messages.at(-1);
    await call('setFeedback', 'message { id }', { id, feedback: { rating: 'dislike' } });
    const fields = `evaluationCases { ${caseFields} }`;
    const made = await call('createEvaluationCases', fields, { agentId });
    expect(made.data.createEvaluationCases.evaluationCases).toMatchObject([
      { question: 'Is parking free?', expectedSourceId: ids.parking, expectedText: null, agent: { id: agentId } },
      { question: 'when is the POOL open', expectedSource: { id: ids.pool } },
    ]);
    const again = await call('createEvaluationCases', fields, { agentId });
    expect(again.data.createEvaluationCases.evaluationCases).toEqual([]);
    const nothing = await newAgent();
    await ask(nothing, 'Is parking free?');
    const before = await call('createEvaluationCases', fields, { agentId: nothing, to: '2020-01-01T00:00:00Z' });
    expect(before.data.createEvaluationCases.evaluationCases).toEqual([]);
    const within = await call('createEvaluationCases', fields, {
      agentId: nothing,
      from: '2020-01-01T00:00:00Z',
      first: 1,
    });
    expect(within.data.createEvaluationCases.evaluationCases).toHaveLength(1);
  });

  test('are added, changed and deleted one by one', async () => {
    const agentId = await newAgent();
    const made = await add(agentId, { question: 'Where do I park?', expectedSourceId: ids.parking });
    const changed = await call('updateEvaluationCase', `evaluationCase { ${caseFields} }`, {
      id: made.id,
      expectedSourceId: null,
      expectedText: 'free',
      expectedUpdatedAt: made.updatedAt,
    });
    expect(changed.data.updateEvaluationCase.evaluationCase).toMatchObject({
      question: 'Where do I park?',
      expectedSourceId: null,
      expectedSource: null,
      expectedText: 'free',
    });
    const stale = { id: made.id, question: 'Where?', expectedUpdatedAt: made.updatedAt };
    expectFailure(await call('updateEvaluationCase', 'evaluationCase { id }', stale), 'conflict');
    const search = '{ evaluationCases(search: "PÁRK", filter: { agentId: "%" }) { nodes { id } } }'.replace(
      '%',
      agentId,
    );
    expect((await gateway.data(home.viewer, search)).evaluationCases.nodes).toEqual([{ id: made.id }]);
    await call('deleteEvaluationCase', 'evaluationCase { deleted }', { id: made.id });
    expect(await gateway.database.evaluationCase.count({ where: { agentId } })).toBe(0);
  });

  test('need a question and an expectation, once, of the own workspace, from those who may write them', async () => {
    const agentId = await newAgent();
    const input = { agentId, question: 'Is parking free?', expectedText: 'free' };
    const tried = (more: object, viewer = home.editor) =>
      call('createEvaluationCase', 'evaluationCase { id }', { ...input, ...more }, viewer);
    expectFailure(await tried({ question: ' ' }), 'invalid_request', /question/);
    expectFailure(await tried({ expectedText: null }), 'invalid_request', /expectedSourceId/);
    expectFailure(await tried({ expectedText: ' ' }), 'invalid_request', /expectedText/);
    expectFailure(await tried({ agentId: newId('agent') }), 'not_found', 'Agent not found.');
    expectFailure(await tried({ expectedSourceId: newId('source') }), 'not_found', 'Source not found.');
    expectFailure(await tried({}, other.editor), 'not_found', 'Agent not found.');
    expectFailure(await tried({}, home.viewer), 'forbidden');
    const { id } = (await tried({})).data.createEvaluationCase.evaluationCase;
    expectFailure(await tried({ question: 'is PARKING free' }), 'conflict');
    const none = await call('updateEvaluationCase', 'evaluationCase { id }', { id, expectedText: null });
    expectFailure(none, 'invalid_request', /expectedSourceId/);
    expectFailure(
      await call('createEvaluationCases', 'evaluationCases { id }', { agentId, first: 501 }),
      'invalid_request',
    );
    const row = await gateway.database.evaluationCase.findFirstOrThrow({ where: { id } });
    const rows = Array.from({ length: 499 }, (_, index) => ({
      ...row,
      id: newId('evaluationCase'),
      questionKey: `key ${index}`,
    }));
    await gateway.database.evaluationCase.createMany({ data: rows });
    expectFailure(await tried({ question: 'One more?' }), 'conflict', /at most 500/);
    expectFailure(
      await call('createEvaluationCases', 'evaluationCases { id }', { agentId }),
      'conflict',
      /at most 500/,
    );
  });

  test('of an agent are at most 500, however many are made at once', async () => {
    const agentId = await newAgent();
    const make = (question: string) =>
      call('createEvaluationCase', 'evaluationCase { id }', { agentId, question, expectedText: 'free' });
    const { id } = (await make('Is parking free?')).data.createEvaluationCase.evaluationCase;
    const row = await gateway.database.evaluationCase.findFirstOrThrow({ where: { id } });
    const rows = Array.from({ length: 497 }, (_, index) => ({
      ...row,
      id: newId('evaluationCase'),
      questionKey: `key ${index}`,
    }));
    await gateway.database.evaluationCase.createMany({ data: rows });
    const made = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((word) => make(`Is ${word} free?`)));
    const refused = made.filter(({ errors }) => errors);
    expect(refused).toHaveLength(3);
    for (const answer of refused) expectFailure(answer, 'conflict', /at most 500/);
    expect(await gateway.database.evaluationCase.count({ where: { agentId } })).toBe(500);
  });

  test('go with their source and their agent', async () => {
    const agentId = await newAgent();
    const source = (
      await gateway.data(
        home.editor,
        `mutation ($input: AddSourceInput!) {
      addSource(input: $input) { source { id } }
    }`,
        { input: { baseId: ids.baseId, ...faq('Where is the chapel?', 'On the hill.') } },
      )
    ).addSource.source.id;
    await add(agentId, { question: 'Where is the chapel?', expectedSourceId: source });
    await add(agentId, { question: 'Is parking free?', expectedSourceId: ids.parking });
    const expecting = `query { source(id: "${source}") { evaluationCases { totalCount } } }`;
    expect((await gateway.data(home.viewer, expecting)).source.evaluationCases.totalCount).toBe(1);
    await gateway.data(home.editor, `mutation { deleteSource(input: { id: "${source}" }) { source { id } } }`);
    expect(await gateway.database.evaluationCase.count({ where: { agentId } })).toBe(1);
    const { id } = await evaluate(agentId);
    await gateway.data(home.owner, `mutation { deleteAgent(input: { id: "${agentId}" }) { agent { id } } }`);
    expect(await gateway.database.evaluationCase.count({ where: { agentId } })).toBe(0);
    expect(await gateway.database.evaluationResult.count({ where: { runId: id } })).toBe(0);
  });
});
