import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { transact } from '../../database/client.ts';
import type { Copy } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import type { ModelAgent, Reply, ReplyRequest } from '../../model/service.ts';
import { askerOf, retrievePassages } from '../knowledge/knowledge-bases.ts';
import { conclude } from '../shared/conclude.ts';
import { parseInput, requiredText } from '../shared/input.ts';
import { releaseInteraction, reserveInteraction } from '../workspace/usage.ts';

/** Passages of an agent's bases that its copies are written from. */
const passageCount = 6;
const most = 10;
const amount = `must be between 1 and ${most}`;

const generateInput = z.object({
  promptId: requiredText(),
  prompt: requiredText(32_000),
  copies: z.int(amount).min(1, amount).max(most, amount).nullish(),
  agentId: z.string().nullish(),
});

/**
 * Asks the model for several copies of one completion of a prompt and records those that came, oldest first. It takes
 * one interaction of the month, which is given back when none came. Throws 400 `invalid_request`, 402, 404 for the agent,
 * 429, and what the model failed with.
 */
export async function generateCopy(context: Context, input: z.input<typeof generateInput>): Promise<Copy[]> {
  permit(context, 'content.write');
  const { promptId, prompt, copies, agentId } = parseInput(generateInput, input);
  const request = await requestOf(context, prompt, agentId ?? null);
  const month = await transact(context.database, (tx) => reserveInteraction(context, tx));
  try {
    const texts = await askTimes(context, request, copies ?? 3);
    return await record(context, promptId, texts);
  } catch (error) {
    await releaseInteraction(context, month);
    throw error;
  }
}

/** Whoever writes when no agent is named. */
const copywriter: ModelAgent = {
  name: 'Copywriter',
  instructions:
    'You write copy. Answer with the text that is asked for alone, without a greeting or a remark about it.',
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
    passages: agent ? (await retrievePassages(context, askerOf(agent), prompt, passageCount)).passages : [],
    tools: [],
  };
}

/** The texts that came; throws what the first one failed with when none did. */
async function askTimes({ model, log }: Context, request: ReplyRequest, times: number): Promise<string[]> {
  const asked = await Promise.allSettled(Array.from({ length: times }, () => model.reply(request)));
  const replies = asked.flatMap((each): Reply[] => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = asked.filter((each) => each.status === 'rejected');
  if (replies.length === 0) throw failed[0]?.reason;
  for (const { reason } of failed) log.warn({ err: reason }, 'one of several copies could not be made');
  return replies.map(({ content }) => content ?? '');
}

/** In one statement, so that either all of them are kept or none. */
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
  return conclude(context, (tx) => tx.copy.createManyAndReturn({ data }));
}
