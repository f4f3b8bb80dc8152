import type { Viewer } from '../../core/viewer.ts';
import type { Prisma } from '../generated/prisma/client.ts';

type Model = Prisma.ModelName;
/** A Prisma condition, as data. */
type Where = Record<string, unknown>;

/** To which agent or base a row belongs: a column names it, or a row does that it refers to. */
type Belonging = { to: 'agentIds' | 'baseIds'; column: string } | { through: string; model: Model };

/** The rows that belong to agents or bases. All others are of the whole workspace. */
const belongings: Partial<Record<Model, Belonging>> = {
  Agent: { to: 'agentIds', column: 'id' },
  Channel: { to: 'agentIds', column: 'agentId' },
  Conversation: { to: 'agentIds', column: 'agentId' },
  Credential: { to: 'agentIds', column: 'agentId' },
  Gap: { to: 'agentIds', column: 'agentId' },
  GapQuestion: { through: 'gap', model: 'Gap' },
  Lead: { to: 'agentIds', column: 'agentId' },
  LeadValue: { through: 'message', model: 'Message' },
  Message: { through: 'conversation', model: 'Conversation' },
  Base: { to: 'baseIds', column: 'id' },
  Passage: { to: 'baseIds', column: 'baseId' },
  Source: { to: 'baseIds', column: 'baseId' },
  SourcePage: { through: 'source', model: 'Source' },
};

/** Whether rows of a model belong to agents or bases. */
export const isLimitable = (model: string): model is Model => belongings[model as Model] !== undefined;

/** Whether a viewer asks with a key that is for some agents or bases alone. */
export const isLimited = ({ key }: Pick<Viewer, 'key'>): boolean =>
  key !== undefined && (key.agentIds.length > 0 || key.baseIds.length > 0);

/** The condition for the rows that a viewer's key is for; undefined when these are all. */
export function limitOf(model: string, viewer: Viewer | undefined): Where | undefined {
  if (!viewer?.key) return undefined;
  const belonging = belongings[model as Model];
  if (!belonging) return undefined;
  if ('through' in belonging) {
    const limit = limitOf(belonging.model, viewer);
    return limit && { [belonging.through]: limit };
  }
  const ids = viewer.key[belonging.to];
  return ids.length > 0 ? { [belonging.column]: { in: [...ids] } } : undefined;
}

/** A condition on the rows of a model, and that a viewer's key is for them. */
export function within(model: string, viewer: Viewer, where: Where): Where {
  const limit = limitOf(model, viewer);
  return limit ? { AND: [where, limit] } : where;
}

/** Whether a row that was read is one that a viewer's key is for, as far as its own columns tell. */
export function isWithin(model: string, viewer: Viewer, row: Record<string, unknown>): boolean {
  const belonging = belongings[model as Model];
  if (!viewer.key || !belonging || 'through' in belonging) return true;
  const ids = viewer.key[belonging.to];
  return ids.length === 0 || ids.includes(row[belonging.column] as string);
}
