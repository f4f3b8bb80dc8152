import { z } from 'zod';
import type { Context } from '../../context.ts';
import { conflict, invalid } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import type { Agent, AgentStatus } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { orNotFound } from '../../database/query/found.ts';
import { change, insertion, removal, type Write } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import type { ModelChoice } from '../../model/service.ts';
import { containsName, foldName } from '../../text/fold.ts';
import { hexColor, optionalText, parseInput, requiredText } from '../shared/input.ts';
import { keyOfRow, rowWithId, rowWrite } from '../shared/mutations.ts';
import { tagsInput } from '../shared/tags.ts';

export const agentList = listRule({
  model: 'Agent',
  permission: 'agents.read',
  analytics: { except: ['name'] },
  orders: { createdAt: { type: 'date' }, updatedAt: { type: 'date' }, name: { type: 'text' } },
  filters: {
    status: { kind: 'in', column: 'status' },
    purpose: { kind: 'in', column: 'purpose' },
    createdAt: { kind: 'range', column: 'createdAt' },
    baseId: { kind: 'related', relation: 'agentBases', column: 'baseId' },
    pluginId: { kind: 'related', relation: 'agentPlugins', column: 'pluginId' },
    ids: { kind: 'in', column: 'id' },
    freedom: { kind: 'in', column: 'freedom' },
    name: { kind: 'text', column: 'name' },
    model: { kind: 'text', column: 'model', nullable: true },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
  search: (term) => ({ searchText: containsName(term) }),
  groups: {
    moments: ['createdAt', 'updatedAt'],
    by: {
      status: { kind: 'value', column: 'status' },
      purpose: { kind: 'value', column: 'purpose' },
      freedom: { kind: 'value', column: 'freedom' },
      model: { kind: 'value', column: 'model' },
    },
  },
});

const between = (min: number, max: number) => `must be between ${min} and ${max}`;

const yearMinutes = 525_600;

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
  sourceTags: tagsInput.optional(),
  timeoutMs: z.int().min(1_000, 'must be 1000 or more').nullish(),
  resolveAfterMinutes: z.int().min(0, between(0, yearMinutes)).max(yearMinutes, between(0, yearMinutes)).optional(),
});

/** Throws 400 unless the models are configured and the timeout is within the service's own. */
function checkModels({ model, config }: Context, agent: Partial<z.output<typeof agentInput>>): void {
  if (agent.model != null) model.check('model', agent.model);
  if (agent.fallbackModel != null) model.check('fallbackModel', agent.fallbackModel);
  if (agent.timeoutMs && agent.timeoutMs > config.modelTimeoutMs) {
    throw invalid(`timeoutMs: must be at most ${config.modelTimeoutMs}, the time that a reply may take here`);
  }
}

/** Creates an agent, as a draft until it is published. Throws 400. */
export const createAgent = rowWrite({
  model: 'Agent',
  permission: 'agents.write',
  prepare: (context, input: z.input<typeof agentInput>) => {
    const data = parseInput(agentInput, input);
    checkModels(context, data);
    const actor = actorOf(context.viewer);
    return insertion('Agent', {
      ...data,
      id: newId('agent'),
      workspaceId: context.viewer.workspaceId,
      searchText: foldName(data.name),
      createdBy: actor,
      updatedBy: actor,
    });
  },
});

/** Updates the given properties of an agent. Throws 400 and 404 `not_found`. */
export const updateAgent = rowWrite({
  model: 'Agent',
  permission: 'agents.write',
  prepare: (context, { id, ...input }: Partial<z.input<typeof agentInput>> & { id: string }) => {
    const data = parseInput(agentInput.partial(), input);
    checkModels(context, data);
    const searchText = data.name && foldName(data.name);
    return change('Agent', rowWithId(context, id), { ...data, searchText, updatedBy: actorOf(context.viewer) });
  },
});

/** Deletes an agent with its channels, conversations and messages. Its leads are kept, without an agent. Throws 404. */
export const deleteAgent = rowWrite({
  model: 'Agent',
  permission: 'agents.delete',
  prepare: (context, { id }: { id: string }) => {
    const { workspaceId } = context.viewer;
    const detach = { model: 'Lead', where: { workspaceId, agentId: id }, update: { agentId: null } } as const;
    return removal('Agent', rowWithId(context, id), detach);
  },
});

const transitions: Record<'publish' | 'pause' | 'archive', { from: AgentStatus[]; to: AgentStatus }> = {
  publish: { from: ['draft', 'paused'], to: 'active' },
  pause: { from: ['active'], to: 'paused' },
  archive: { from: ['draft', 'active', 'paused'], to: 'archived' },
};

/** Changes the status of an agent. Throws 404, and 409 `conflict` if its status does not allow the transition. */
function moving(verb: keyof typeof transitions) {
  const { from, to } = transitions[verb];
  return rowWrite({
    model: 'Agent',
    permission: 'agents.write',
    prepare: (context, { id }: { id: string }) => {
      const where = { ...rowWithId(context, id), status: { in: from } };
      return change('Agent', where, { status: to, updatedBy: actorOf(context.viewer) });
    },
    fallback: async (context, { id }) => {
      const { status } = await findAgent(context, id);
      throw conflict(`The agent is ${status}: to ${verb} it, it must be ${from.join(' or ')}.`);
    },
  });
}

export const publishAgent = moving('publish');
export const pauseAgent = moving('pause');
export const archiveAgent = moving('archive');

/** Returns the agent with this id in the viewer's workspace. Throws 404 `not_found`. */
export async function findAgent(context: Context, id: string): Promise<Agent> {
  return orNotFound('Agent', context.database.agent.findUniqueOrThrow({ where: keyOfRow(context, id) }));
}

/**
 * Attaches and detaches bases or plugins, which agents share. Both are idempotent, and throw 404 for the agent and for
 * what is attached.
 */
function defineLink<Column extends 'baseId' | 'pluginId'>(
  writes: 'AgentBase' | 'AgentPlugin',
  column: Column,
  find: (context: Context, id: string) => Promise<unknown>,
) {
  type Pair = { agentId: string } & Record<Column, string>;
  const common = { model: 'Agent', writes, permission: 'agents.write' } as const;
  const join = (context: Context, verb: 'insert' | 'remove', { agentId, [column]: id }: Pair): Write => {
    const values = { workspaceId: context.viewer.workspaceId, agentId, [column]: id };
    const joinRow = verb === 'insert' ? { insert: values } : { remove: values };
    return { model: 'Agent', where: rowWithId(context, agentId), joinRow: { model: writes, ...joinRow } };
  };
  const attach = rowWrite({ ...common, prepare: (context, pair: Pair) => join(context, 'insert', pair) });
  const detach = rowWrite({
    ...common,
    prepare: (context, pair: Pair) => join(context, 'remove', pair),
    fallback: async (context, { agentId, [column]: id }) => {
      const agent = await findAgent(context, agentId);
      await find(context, id);
      return agent;
    },
  });
  return { attach, detach };
}

export const { attach: attachBase, detach: detachBase } = defineLink('AgentBase', 'baseId', (context, id) =>
  orNotFound('Base', context.database.base.findUniqueOrThrow({ where: keyOfRow(context, id) })),
);

/** Detaching a plugin keeps the agent's credential for it, in case it is attached again. */
export const { attach: attachPlugin, detach: detachPlugin } = defineLink('AgentPlugin', 'pluginId', (context, id) =>
  orNotFound('Plugin', context.database.plugin.findUniqueOrThrow({ where: keyOfRow(context, id) })),
);

/** A model that agents may choose. `restsFor`: how many seconds its circuit breaker stays open; 0 if it is closed. */
export type AvailableModel = ModelChoice & { restsFor: number };

/** Returns the models that agents may choose, the default first. */
export function listModels(context: Context): AvailableModel[] {
  permit(context, 'agents.read');
  return context.model.choices.map((choice) => ({
    ...choice,
    restsFor: Math.ceil(choice.breaker.openForMs() / 1_000),
  }));
}
