import { z } from 'zod';
import { permit } from '../auth/permissions.ts';
import { actorOf, type Context } from '../context.ts';
import { orNotFound } from '../database/found.ts';
import type { Agent, AgentStatus } from '../database/generated/prisma/client.ts';
import { newId } from '../database/ids.ts';
import { listRule } from '../database/list.ts';
import { containsText, fold } from '../database/text.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { hexColor, optionalText, parseInput, requiredText } from './input.ts';

export const agentList = listRule({
  model: 'Agent',
  permission: 'agents.read',
  orders: { createdAt: { type: 'date' }, updatedAt: { type: 'date' }, name: { type: 'text' } },
  filters: {
    status: { kind: 'in', column: 'status' },
    purpose: { kind: 'in', column: 'purpose' },
    createdAt: { kind: 'range', column: 'createdAt' },
    baseId: { kind: 'related', relation: 'agentBases', column: 'baseId' },
    pluginId: { kind: 'related', relation: 'agentPlugins', column: 'pluginId' },
  },
  search: (term) => ({ searchText: containsText(term) }),
});

const between = (least: number, most: number) => `must be between ${least} and ${most}`;

const agentInput = z.object({
  name: requiredText(),
  description: optionalText().optional(),
  avatar: optionalText().optional(),
  color: hexColor.optional(),
  welcome: optionalText().optional(),
  instructions: optionalText(20_000).optional(),
  off: optionalText().optional(),
  references: z.boolean().optional(),
  purpose: z.enum(['leads', 'support', 'sales', 'general']).optional(),
  freedom: z.enum(['restricted', 'balanced', 'free']).optional(),
  behaviorType: z.enum(['basic', 'advanced']).optional(),
  left: z.boolean().optional(),
  model: optionalText(64).optional(),
  fallbackModel: optionalText(64).optional(),
  temperature: z.number().min(0, between(0, 2)).max(2, between(0, 2)).nullish(),
  maxOutputTokens: z.int().min(1, between(1, 1_000_000)).max(1_000_000, between(1, 1_000_000)).nullish(),
  timeoutMs: z.int().min(1_000, 'must be 1000 or more').nullish(),
});

/** Throws 400 unless the models are configured and the time is no longer than what the service gives a reply. */
function checkModels({ model, config }: Context, agent: Partial<z.output<typeof agentInput>>): void {
  if (agent.model) model.check('model', agent.model);
  if (agent.fallbackModel) model.check('fallbackModel', agent.fallbackModel);
  if (agent.timeoutMs && agent.timeoutMs > config.modelTimeoutMs) {
    throw invalid(`timeoutMs: must be at most ${config.modelTimeoutMs}, the time that a reply may take here`);
  }
}

/** Creates an agent, a draft until it is published. */
export async function createAgent(context: Context, input: z.input<typeof agentInput>): Promise<Agent> {
  permit(context, 'agents.write');
  const data = parseInput(agentInput, input);
  checkModels(context, data);
  const actor = actorOf(context.viewer);
  return context.database.agent.create({
    data: {
      ...data,
      id: newId('agent'),
      workspaceId: context.viewer.workspaceId,
      searchText: fold(data.name),
      createdBy: actor,
      updatedBy: actor,
    },
  });
}

/** Changes what is given of an agent; the rest stays. */
export async function updateAgent(
  context: Context,
  id: string,
  input: Partial<z.input<typeof agentInput>>,
): Promise<Agent> {
  permit(context, 'agents.write');
  const data = parseInput(agentInput.partial(), input);
  checkModels(context, data);
  const change = context.database.agent.update({
    where: key(context, id),
    data: { ...data, ...(data.name && { searchText: fold(data.name) }), updatedBy: actorOf(context.viewer) },
  });
  return orNotFound('Agent', change);
}

/** Removes an agent with its channels, conversations and messages. Its leads stay, without an agent. */
export async function deleteAgent(context: Context, id: string): Promise<void> {
  permit(context, 'agents.delete');
  const { database, viewer } = context;
  const where = { workspaceId: viewer.workspaceId };
  const forget = database.lead.updateMany({ where: { ...where, agentId: id }, data: { agentId: null } });
  const [, removed] = await database.$transaction([forget, database.agent.deleteMany({ where: { ...where, id } })]);
  if (removed.count === 0) throw notFound('Agent');
}

const transitions: Record<'publish' | 'pause' | 'archive', { from: AgentStatus[]; to: AgentStatus }> = {
  publish: { from: ['draft', 'paused'], to: 'active' },
  pause: { from: ['active'], to: 'paused' },
  archive: { from: ['draft', 'active', 'paused'], to: 'archived' },
};

/** Moves an agent to another status. Throws 409 `conflict` when its present status does not lead there. */
export async function moveAgent(context: Context, id: string, verb: keyof typeof transitions): Promise<Agent> {
  permit(context, 'agents.write');
  const { database, viewer } = context;
  const { from, to } = transitions[verb];
  const [moved] = await database.agent.updateManyAndReturn({
    where: { workspaceId: viewer.workspaceId, id, status: { in: from } },
    data: { status: to, updatedBy: actorOf(viewer) },
  });
  if (moved) return moved;
  const { status } = await findAgent(context, id);
  throw conflict(`The agent is ${status}: to ${verb} it, it must be ${from.join(' or ')}.`);
}

/** The agent with this id, in the viewer's workspace. Throws 404 `not_found`. */
export async function findAgent(context: Context, id: string): Promise<Agent> {
  return orNotFound('Agent', context.database.agent.findUniqueOrThrow({ where: key(context, id) }));
}

/** Lets an agent answer from a base; again: no change. */
export async function attachBase(context: Context, agentId: string, baseId: string): Promise<Agent> {
  permit(context, 'agents.write');
  const { database, viewer } = context;
  const id = { workspaceId: viewer.workspaceId, agentId, baseId };
  const agent = await findAgent(context, agentId);
  const base = await database.base.findFirst({
    where: { workspaceId: viewer.workspaceId, id: baseId },
    select: { id: true },
  });
  if (!base) throw notFound('Base');
  await database.agentBase.createMany({ data: [id], skipDuplicates: true });
  return agent;
}

/** Takes a base from an agent; again: no change. */
export async function detachBase(context: Context, agentId: string, baseId: string): Promise<Agent> {
  permit(context, 'agents.write');
  const agent = await findAgent(context, agentId);
  await context.database.agentBase.deleteMany({ where: { workspaceId: agent.workspaceId, agentId, baseId } });
  return agent;
}

/** Lets an agent call a plugin; again: no change. */
export async function attachPlugin(context: Context, agentId: string, pluginId: string): Promise<Agent> {
  permit(context, 'agents.write');
  const { database, viewer } = context;
  const id = { workspaceId: viewer.workspaceId, agentId, pluginId };
  const agent = await findAgent(context, agentId);
  const plugin = await database.plugin.findFirst({
    where: { workspaceId: viewer.workspaceId, id: pluginId },
    select: { id: true },
  });
  if (!plugin) throw notFound('Plugin');
  await database.agentPlugin.createMany({ data: [id], skipDuplicates: true });
  return agent;
}

/** Takes a plugin from an agent; again: no change. Its credential is kept for when it comes back. */
export async function detachPlugin(context: Context, agentId: string, pluginId: string): Promise<Agent> {
  permit(context, 'agents.write');
  const agent = await findAgent(context, agentId);
  await context.database.agentPlugin.deleteMany({ where: { workspaceId: agent.workspaceId, agentId, pluginId } });
  return agent;
}

const key = ({ viewer }: Context, id: string) => ({ workspaceId_id: { workspaceId: viewer.workspaceId, id } });
