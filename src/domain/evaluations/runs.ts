import type { Context } from '../../context.ts';
import { conflict } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import { lockNames } from '../../database/advisory.ts';
import type { Agent, EvaluationRun } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import type { Job } from '../../queue/kinds.ts';
import { findAgent } from '../agents/agents.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';

export const runList = listRule({
  model: 'EvaluationRun',
  permission: 'evaluations.read',
  analytics: { except: ['reason'] },
  orders: { createdAt: { type: 'date' } },
  filters: {
    agentId: { kind: 'equals', column: 'agentId' },
    status: { kind: 'in', column: 'status' },
    answers: { kind: 'equals', column: 'answers' },
    ids: { kind: 'in', column: 'id' },
    newlyFailingCount: { kind: 'number', column: 'newlyFailingCount' },
    createdAt: { kind: 'range', column: 'createdAt' },
    agent: { kind: 'relation', relation: 'agent', model: 'Agent' },
  },
  groups: {
    moments: ['createdAt'],
    by: {
      status: { kind: 'value', column: 'status' },
      agent: { kind: 'related', column: 'agentId', model: 'Agent', allowed: ['name'] },
    },
    numbers: ['caseCount', 'passedCount', 'newlyFailingCount'],
    distinct: ['agentId'],
  },
});

export const resultList = listRule({
  model: 'EvaluationResult',
  permission: 'evaluations.read',
  analytics: { except: ['question', 'expectedText', 'answer', 'failure'] },
  orders: { position: { type: 'number' } },
  defaultDirection: 'asc',
  filters: {
    passed: { kind: 'equals', column: 'passed', nullable: true },
    newlyFailing: { kind: 'equals', column: 'newlyFailing' },
  },
});

export const evaluationJob = ({ workspaceId, id }: Pick<EvaluationRun, 'workspaceId' | 'id'>): Job => ({
  name: 'evaluate',
  key: id,
  data: { workspaceId, runId: id },
});

/** Whether an agent's replies come from a configured model, and not from the embedded one. */
function hasModel({ model }: Context, { model: name }: Agent): boolean {
  const own = model.choices.find((choice) => (name ? choice.name === name : choice.isDefault));
  return own !== undefined && own.provider !== 'embedded';
}

type Evaluate = { agentId: string; answers?: boolean | null | undefined };

/**
 * Starts to evaluate an agent by its cases as they are now, in the background. With `answers`, by default if a model is
 * configured for it, its model answers each question. Compared with the agent's last complete run. Throws 404, and 409
 * without cases or while another run is in progress.
 */
export async function evaluateAgent(context: Context, { agentId, answers }: Evaluate): Promise<EvaluationRun> {
  permit(context, 'evaluations.write');
  const agent = await findAgent(context, agentId);
  const { workspaceId } = agent;
  const actor = actorOf(context.viewer);
  return context.queue.transact(async (tx, enqueue) => {
    await lockNames(tx, [`evaluations ${agentId}`]);
    const where = { workspaceId, agentId };
    const open = await tx.evaluationRun.findFirst({ where: { ...where, status: 'in_progress' }, select: { id: true } });
    if (open) throw conflict(`The evaluation ${open.id} of this agent is in progress: wait for it, or delete it.`);
    const cases = await tx.evaluationCase.findMany({ where, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
    if (cases.length === 0) throw conflict('The agent has no evaluation cases: create some first.');
    const previous = await tx.evaluationRun.findFirst({
      where: { ...where, status: 'succeeded' },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      select: { id: true },
    });
    const run = await tx.evaluationRun.create({
      data: {
        ...where,
        id: newId('evaluationRun'),
        answers: answers ?? hasModel(context, agent),
        caseCount: cases.length,
        previousId: previous?.id ?? null,
        createdBy: actor,
        updatedBy: actor,
      },
    });
    const time = Date.now();
    await tx.evaluationResult.createMany({
      data: cases.map(({ id: caseId, question, expectedSourceId, expectedText }, position) => ({
        id: newId('evaluationResult', time),
        workspaceId,
        runId: run.id,
        caseId,
        position,
        question,
        expectedSourceId,
        expectedText,
      })),
    });
    await enqueue([evaluationJob(run)]);
    return run;
  });
}

/** Deletes a run with its results; one in progress ends. Throws 404. */
export const deleteRun = rowWrite({
  model: 'EvaluationRun',
  permission: 'evaluations.write',
  prepare: (context, { id }: { id: string }) => removal('EvaluationRun', rowWithId(context, id)),
});
