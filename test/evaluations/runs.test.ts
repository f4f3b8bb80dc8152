import { describe, expect, test } from 'vitest';
import { ParleyError } from '../../src/core/errors.ts';
import { newId } from '../../src/database/ids.ts';
import { resumeEvaluations, runEvaluation } from '../../src/domain/evaluations/run.ts';
import type { ReplyRequest } from '../../src/model/service.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { useEvaluations } from '../support/knowledge/evaluations.ts';

const gateway = useGateway();
const { home, other, ids, call, newAgent, add, start, seen, evaluate } = useEvaluations(gateway);

const request = (content: string): ReplyRequest => ({
  agent: { name: 'Host', instructions: null, welcome: null, freedom: 'balanced', purpose: 'general', references: true },
  format: 'markdown',
  history: [{ role: 'user', content }],
  passages: [],
  tools: [],
});

describe('an evaluation', () => {
  test('searches for each question without a model, and uses no interaction', async () => {
    const agentId = await newAgent();
    await add(agentId, { question: 'When is the pool open?', expectedSourceId: ids.pool, expectedText: 'FROM  may' });
    await add(agentId, { question: 'Is parking free?', expectedSourceId: ids.pool });
    await add(agentId, { question: 'Is the parking free for guests?', expectedText: 'free for guests' });
    await add(agentId, { question: 'Do you rent canoes?', expectedText: 'canoe' });
    const usage = async () => (await gateway.rest(home.viewer, 'GET', '/rest/interactions')).body.current;
    const before = await usage();
    const run = await evaluate(agentId);
    expect(await usage()).toBe(before);
    expect(run).toMatchObject({
      status: 'succeeded',
      reason: null,
      answers: false,
      caseCount: 4,
      doneCount: 4,
      passedCount: 2,
      foundCount: 2,
      newlyFailingCount: 0,
      passedShare: 0.5,
      foundShare: 0.5,
      previousId: null,
      endedAt: expect.any(String),
    });
    const nothing = { answer: null, failure: null, cited: null, newlyFailing: false };
    expect(run.results.nodes).toMatchObject([
      { ...nothing, question: 'When is the pool open?', passed: true, rank: 1, contained: true },
      { ...nothing, question: 'Is parking free?', passed: false, rank: null, contained: null },
      { ...nothing, question: 'Is the parking free for guests?', passed: true, rank: 1, contained: true },
      { ...nothing, question: 'Do you rent canoes?', passed: false, rank: null, contained: false },
    ]);
  });

  test('names the cases that fail and passed before, though they were changed since', async () => {
    const agentId = await newAgent();
    const { id: caseId } = await add(agentId, { question: 'When is the pool open?', expectedText: 'May' });
    await add(agentId, { question: 'Do you rent canoes?', expectedText: 'canoe' });
    const first = await evaluate(agentId);
    await call('updateEvaluationCase', 'evaluationCase { id }', { id: caseId, expectedText: 'June' });
    const second = await evaluate(agentId);
    expect(second).toMatchObject({ previousId: first.id, newlyFailingCount: 1, passedCount: 0 });
    const failing = `query { evaluationRun(id: "${second.id}") {
      results(filter: { newlyFailing: true }) { nodes { caseId } }
    } }`;
    expect((await gateway.data(home.viewer, failing)).evaluationRun.results.nodes).toEqual([{ caseId }]);
    expect((await evaluate(agentId)).newlyFailingCount).toBe(0);
    const history = `query { agent(id: "${agentId}") { evaluationRuns { totalCount nodes { passedCount } } } }`;
    expect((await gateway.data(home.viewer, history)).agent.evaluationRuns).toEqual({
      totalCount: 3,
      nodes: [{ passedCount: 0 }, { passedCount: 0 }, { passedCount: 1 }],
    });
  });

  test('with answers holds those to the expected text and source', async () => {
    const agentId = await newAgent();
    await add(agentId, { question: 'When is the pool open?', expectedSourceId: ids.pool, expectedText: 'from May' });
    await add(agentId, { question: 'Is parking free?', expectedSourceId: ids.parking, expectedText: 'no, it costs' });
    const run = await evaluate(agentId, { answers: true });
    expect(run).toMatchObject({ answers: true, passedCount: 1, foundCount: 2 });
    expect(run.results.nodes).toMatchObject([
      { passed: true, contained: true, cited: true, answer: expect.stringContaining('from May') },
      { passed: false, contained: false, cited: true, answer: expect.stringContaining('Parking is free') },
    ]);
    expect(await gateway.database.conversation.count({ where: { agentId } })).toBe(0);
  });

  test('goes on where a killed process left it, and stores no result twice', async () => {
    const agentId = await newAgent();
    await add(agentId, { question: 'When is the pool open?', expectedText: 'May' });
    await add(agentId, { question: 'Is parking free?', expectedText: 'free' });
    const { services } = gateway;
    const { model, queue } = services;
    const stopped = new AbortController();
    const reply = await model.reply(request('Is parking free?'));
    try {
      // The process dies before it takes the job, and then in the middle of the second case.
      services.queue = { ...queue, transact: (work) => queue.transact((tx) => work(tx, async () => {})) };
      const { id } = (await start(agentId, { answers: true })).data.evaluateAgent.evaluationRun;
      services.queue = queue;
      services.model = {
        ...model,
        reply: async ({ history: [asked] }) => {
          if (asked?.content === 'When is the pool open?') return { ...reply, content: 'From May.' };
          stopped.abort();
          throw new ParleyError('unavailable', 'The process ends.');
        },
      };
      const working = runEvaluation(services, { workspaceId: home.id, runId: id }, stopped.signal);
      await expect(working).rejects.toThrow('The process ends.');
      expect(await seen(id)).toMatchObject({ status: 'in_progress', doneCount: 1, passedCount: 1 });
      expectFailure(await start(agentId), 'conflict', /in progress/);
      services.model = model;
      await resumeEvaluations(services);
      await resumeEvaluations(services);
      await queue.idle();
      const run = await seen(id);
      expect(run).toMatchObject({ status: 'succeeded', doneCount: 2, passedCount: 2 });
      expect(run.results.nodes[0].answer).toBe('From May.');
    } finally {
      Object.assign(services, { model, queue });
    }
  });

  test('says why a model gave no answer, and goes on', async () => {
    const agentId = await newAgent();
    await add(agentId, { question: 'When is the pool open?', expectedSourceId: ids.pool });
    await add(agentId, { question: 'Is parking free?', expectedSourceId: ids.parking });
    const { services } = gateway;
    const { model } = services;
    services.model = {
      ...model,
      reply: (asked) => {
        if (asked.history[0]?.content !== 'When is the pool open?') return model.reply(asked);
        throw new ParleyError('model_error', 'The model failed.');
      },
    };
    try {
      expect((await evaluate(agentId, { answers: true })).results.nodes).toMatchObject([
        { passed: false, rank: 1, answer: null, failure: 'The model failed.' },
        { passed: true, answer: expect.any(String), failure: null },
      ]);
    } finally {
      services.model = model;
    }
  });

  test('ends when it is deleted, and fails after a day', async () => {
    const agentId = await newAgent();
    await add(agentId, { question: 'Is parking free?', expectedText: 'free' });
    const run = await evaluate(agentId);
    const { database, services } = gateway;
    await database.evaluationRun.updateMany({
      where: { id: run.id },
      data: { status: 'in_progress', createdAt: new Date(0) },
    });
    await resumeEvaluations(services);
    expect(await seen(run.id)).toMatchObject({ status: 'failed', reason: 'It took longer than 24 hours.' });
    await call('deleteEvaluationRun', 'evaluationRun { deleted }', { id: run.id });
    await runEvaluation(services, { workspaceId: home.id, runId: run.id }, new AbortController().signal);
    expect(await database.evaluationResult.count({ where: { runId: run.id } })).toBe(0);
  });

  test('needs cases, and someone who may start it in this workspace', async () => {
    const agentId = await newAgent();
    expectFailure(await start(agentId), 'conflict', /no evaluation cases/);
    await add(agentId, { question: 'Is parking free?', expectedText: 'free' });
    expectFailure(await start(agentId, {}, home.viewer), 'forbidden');
    expectFailure(await start(agentId, {}, other.editor), 'not_found', 'Agent not found.');
    expectFailure(await start(newId('agent')), 'not_found', 'Agent not found.');
    const { id } = await evaluate(agentId);
    const theirs = `query { evaluationRun(id: "${id}") { id } }`;
    expectFailure(await gateway.graphql(other.owner, theirs), 'not_found');
    expectFailure(await call('deleteEvaluationRun', 'evaluationRun { id }', { id }, other.owner), 'not_found');
  });
});
