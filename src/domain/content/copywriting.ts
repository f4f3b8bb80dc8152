import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { transact } from '../../database/client.ts';
import { runFinal } from '../../database/final-transaction.ts';
import type { Copy } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import type { ModelAgent, Reply, ReplyRequest } from '../../model/service.ts';
import { retrievalScopeOf, retrievePassages } from '../knowledge/knowledge-bases.ts';
import { parseInput, requiredText } from '../shared/input.ts';
import { recordEvents } from '../shared/outbox.ts';
import { releaseInteraction, reserveInteraction } from '../workspace/usage.ts';

/** How many passages of an agent's bases the model is given. */
const passageCount = 6;
const maxAlternatives = 10;
const amount = `must be between 1 and ${maxAlternatives}`;

const generateInput = z.object({
  promptId: requiredText(),
  prompt: requiredText(32_000),
  copies: z.int(amount).min(1, amount).max(maxAlternatives, amount).nullish(),
  agentId: z.string().nullish(),
});

/**
 * Asks the model for several copies of a prompt's completion, and stores and returns those that succeed. Uses one
 * interaction of the month, which is released if all fail. Throws 400 `invalid_request`, 402, 404 for the agent, 429,
 * and the failures of the model.
 */
export async function generateCopy(context: Context, input: z.input<typeof generateInput>): Promise<Copy[]> {
  permit(context, 'content.write');
  const { promptId, prompt, copies, agentId } = parseInput(generateInput, input);
  const request = await requestOf(context, prompt, agentId ?? null);
  const month = await transact(context.database, async (tx) => {
    const reserved = await reserveInteraction(context, tx);
    await recordEvents(tx, context.viewer.workspaceId, reserved.events);
    return reserved.month;
  });
  try {
    const texts = await replyTimes(context, request, copies ?? 3);
    return await record(context, promptId, texts);
  } catch (error) {
    await releaseInteraction(context, month);
    throw error;
  }
}

/** Used if no agent is named. */
const copywriter: ModelAgent = {
  name: 'Copywriter',
  instructions: 'You write copy. Answer only with the requested text, without a greeting or comments on it.',
  welcome: null,
  purpose: 'general',
  freedom: 'free',
  references: false,
};

async function requestOf(context: Context, prompt: string, agentId: string | null): Promise<ReplyRequest> {
  const { workspaceId } = context.viewer;
  const agent = agentId && (await context.database.agent.findFirst({ where: { workspaceId, id: agentId } }));
  if (agentId && !agent) throw notFound('Agent');
  return {
    agent: agent ? { ...agent, purpose: 'general', references: false } : copywriter,
    format: 'text',
    log: context.log.child({ workspaceId, ...(agent && { agentId: agent.id }) }),
    unchecked: true,
    history: [{ role: 'user', content: prompt }],
    passages: agent
      ? (await retrievePassages(context, await retrievalScopeOf(context, agent), prompt, passageCount)).passages
      : [],
    tools: [],
  };
}

/** Returns the texts of the successful requests; if there are none, throws the first failure. */
async function replyTimes({ model, log }: Context, request: ReplyRequest, times: number): Promise<string[]> {
  const settled = await Promise.allSettled(Array.from({ length: times }, () => model.reply(request)));
  const replies = settled.flatMap((each): Reply[] => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = settled.filter((each) => each.status === 'rejected');
  if (replies.length === 0) throw failed[0]?.reason;
  for (const { reason } of failed) log.warn({ err: reason }, 'one of several copies could not be generated');
  return replies.map(({ content }) => content ?? '');
}

/** One statement, so that all of them are stored or none. */
async function record(context: Context, promptId: string, texts: string[]): Promise<Copy[]> {
  const completionId = randomUUID();
  const time = context.now();
  const data = texts.map((content) => ({
    id: newId('copy'),
    workspaceId: context.viewer.workspaceId,
    promptId,
    completionId,
    content,
    createdAt: time,
    updatedAt: time,
  }));
  return runFinal(context, (tx) => tx.copy.createManyAndReturn({ data }));
}
