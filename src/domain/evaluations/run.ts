import type { Context, Services } from '../../context.ts';
import { ParleyError } from '../../core/errors.ts';
import { transact } from '../../database/client.ts';
import type { Agent, EvaluationResult } from '../../database/generated/prisma/client.ts';
import { batchSize } from '../../database/upkeep/batches.ts';
import { collapseSpaces } from '../../model/reply/text.ts';
import type { JobData } from '../../queue/kinds.ts';
import { fold } from '../../text/fold.ts';
import { retrievalScopeOf, retrievePassages } from '../knowledge/knowledge-bases.ts';
import { asOperator } from '../shared/operator.ts';
import { evaluationJob } from './runs.ts';

/** How many passages are searched for the expected one, and how many of them a model is given. */
const searchedCount = 20;
const passageCount = 6;
/** How many ended runs an agent keeps. */
const maxRuns = 50;
/** After this time in milliseconds, a run has failed. */
const maxRunMs = 24 * 3_600_000;

type Outcome = Pick<EvaluationResult, 'passed' | 'rank' | 'contained' | 'cited' | 'answer' | 'failure'>;

/**
 * Evaluates an agent case by case. Each result is stored at once, so a job that is retried goes on where it was.
 * Rejects if the database fails or `signal` aborts. Uses no interaction, calls no plugin, and stores no conversation.
 */
export async function runEvaluation(
  services: Services,
  { workspaceId, runId }: JobData['evaluate'],
  signal: AbortSignal,
): Promise<void> {
  const { database } = services;
  const where = { workspaceId, id: runId, status: 'in_progress' as const };
  const run = await database.evaluationRun.findFirst({ where, include: { agent: true } });
  if (!run) return;
  const context = asOperator(services, workspaceId);
  const passedBefore = await database.evaluationResult.findMany({
    where: { workspaceId, runId: run.previousId ?? '', passed: true },
    select: { caseId: true },
  });
  const before = new Set(passedBefore.map(({ caseId }) => caseId));
  for (;;) {
    const next = await database.evaluationResult.findFirst({
      where: { workspaceId, runId, passed: null },
      orderBy: [{ position: 'asc' }, { id: 'asc' }],
    });
    if (!next) break;
    signal.throwIfAborted();
    const outcome = await evaluate(context, run.agent, run.answers, next, signal);
    const newlyFailing = !outcome.passed && before.has(next.caseId);
    const isOpen = await transact(database, async (tx) => {
      const { count } = await tx.evaluationResult.updateMany({
        where: { workspaceId, id: next.id, passed: null },
        data: { ...outcome, newlyFailing },
      });
      // Deleted, or done by another worker.
      if (count === 0) return true;
      const counted = await tx.evaluationRun.updateMany({
        where,
        data: {
          doneCount: { increment: 1 },
          passedCount: { increment: Number(outcome.passed) },
          foundCount: { increment: Number(isFound(outcome)) },
          newlyFailingCount: { increment: Number(newlyFailing) },
        },
      });
      return counted.count > 0;
    });
    if (!isOpen) return;
  }
  await database.evaluationRun.updateMany({ where, data: { status: 'succeeded', endedAt: services.now() } });
  const old = await database.evaluationRun.findMany({
    where: { workspaceId, agentId: run.agentId, status: { not: 'in_progress' } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    skip: maxRuns,
    select: { id: true },
  });
  if (old.length > 0)
    await database.evaluationRun.deleteMany({ where: { workspaceId, id: { in: old.map(({ id }) => id) } } });
}

/** Whether what is expected is among the passages that a model would be given. */
const isFound = ({ rank }: Pick<Outcome, 'rank'>): boolean => rank !== null && rank <= passageCount;

const contains = (text: string, part: string): boolean =>
  collapseSpaces(fold(text)).includes(collapseSpaces(fold(part)));

async function evaluate(
  context: Context,
  agent: Agent,
  answers: boolean,
  { question, expectedSourceId, expectedText }: EvaluationResult,
  signal: AbortSignal,
): Promise<Outcome> {
  const { passages } = await retrievePassages(context, await retrievalScopeOf(context, agent), question, searchedCount);
  const index = passages.findIndex(({ sourceId, text }) =>
    expectedSourceId ? sourceId === expectedSourceId : contains(text, expectedText ?? ''),
  );
  const rank = index < 0 ? null : index + 1;
  const shown = passages.slice(0, passageCount);
  const said = answers ? await answer(context, agent, question, shown, signal) : null;
  const texts = answers ? [said?.content ?? ''] : shown.map(({ text }) => text);
  const contained = expectedText === null ? null : texts.some((text) => contains(text, expectedText));
  const cites = answers && agent.references && expectedSourceId !== null;
  const cited = cites ? (said?.sourceIds.includes(expectedSourceId) ?? false) : null;
  return {
    // A text may also be known to a model, or stand beyond the passages that were found.
    passed:
      !said?.failure && contained !== false && cited !== false && (expectedSourceId === null || isFound({ rank })),
    rank,
    contained,
    cited,
    answer: said?.content ?? null,
    failure: said?.failure ?? null,
  };
}

type Said = { content: string | null; sourceIds: string[]; failure: string | null };

/** Has the agent's model answer a question from these passages. A failure of the model is part of the result. */
async function answer(
  { model, log }: Context,
  agent: Agent,
  question: string,
  passages: Awaited<ReturnType<typeof retrievePassages>>['passages'],
  signal: AbortSignal,
): Promise<Said> {
  try {
    const { content, references } = await model.reply({
      agent,
      format: 'markdown',
      history: [{ role: 'user', content: question }],
      passages,
      tools: [],
      signal,
      log: log.child({ workspaceId: agent.workspaceId, agentId: agent.id }),
    });
    return { content, sourceIds: references.map(({ sourceId }) => sourceId), failure: null };
  } catch (error) {
    if (signal.aborted || !(error instanceof ParleyError)) throw error;
    return { content: null, sourceIds: [], failure: error.message };
  }
}

/** Queues runs that a lost job left in progress, and fails those that have taken too long. */
export async function resumeEvaluations({ database, queue, now }: Services): Promise<void> {
  const before = new Date(now().getTime() - maxRunMs);
  await database.evaluationRun.updateMany({
    where: { status: 'in_progress', createdAt: { lt: before } },
    data: { status: 'failed', reason: 'It took longer than 24 hours.', endedAt: now() },
    limit: batchSize,
  });
  const open = await database.evaluationRun.findMany({
    where: { status: 'in_progress' },
    select: { workspaceId: true, id: true },
    take: batchSize,
  });
  if (open.length > 0) await queue.transact((_tx, enqueue) => enqueue(open.map(evaluationJob)));
}
