import type { Viewer } from '../../core/viewer.ts';
import type { Prisma } from '../generated/prisma/client.ts';

type Model = Prisma.ModelName;
/** A Prisma condition, as data. */
type Where = Record<string, unknown>;

/** The agent or base that a row belongs to, or both: by a column, or by a row that it refers to. */
type RowLimit = { to: 'agentIds' | 'baseIds'; column: string } | { through: string; model: Model };

/** Rows that belong to agents or bases. All others belong to the whole workspace. */
const rowLimits: Partial<Record<Model, RowLimit | RowLimit[]>> = {
  Agent: { to: 'agentIds', column: 'id' },
  Channel: { to: 'agentIds', column: 'agentId' },
  Conversation: { to: 'agentIds', column: 'agentId' },
  Credential: { to: 'agentIds', column: 'agentId' },
  EvaluationCase: { to: 'agentIds', column: 'agentId' },
  EvaluationRun: { to: 'agentIds', column: 'agentId' },
  EvaluationResult: { through: 'run', model: 'EvaluationRun' },
  Gap: { to: 'agentIds', column: 'agentId' },
  GapQuestion: { through: 'gap', model: 'Gap' },
  Citation: [
    { through: 'message', model: 'Message' },
    { through: 'source', model: 'Source' },
  ],
  GapProposal: { through: 'gap', model: 'Gap' },
  Lead: { to: 'agentIds', column: 'agentId' },
  LeadValue: { through: 'message', model: 'Message' },
  ReachedStage: { through: 'conversation', model: 'Conversation' },
  Message: { through: 'conversation', model: 'Conversation' },
  Base: { to: 'baseIds', column: 'id' },
  Passage: { to: 'baseIds', column: 'baseId' },
  Source: { to: 'baseIds', column: 'baseId' },
  SourcePage: { through: 'source', model: 'Source' },
};

/** Whether rows of a model belong to agents or bases. */
export const isLimitable = (model: string): model is Model => rowLimits[model as Model] !== undefined;

/** Whether the viewer's key is limited to some agents or bases. */
export const isLimited = ({ key }: Pick<Viewer, 'key'>): boolean =>
  key !== undefined && (key.agentIds.length > 0 || key.baseIds.length > 0);

/** Returns the condition for the rows that a viewer's key may access; undefined if it is not limited. */
export function limitOf(model: string, viewer: Viewer | undefined): Where | undefined {
  if (!viewer?.key) return undefined;
  const limits = limitsOf(model).flatMap((rowLimit): Where[] => {
    if ('through' in rowLimit) {
      const limit = limitOf(rowLimit.model, viewer);
      return limit ? [{ [rowLimit.through]: limit }] : [];
    }
    const ids = viewer.key?.[rowLimit.to] ?? [];
    return ids.length > 0 ? [{ [rowLimit.column]: { in: [...ids] } }] : [];
  });
  return limits.length > 1 ? { AND: limits } : limits[0];
}

const limitsOf = (model: string): RowLimit[] => [rowLimits[model as Model] ?? []].flat();

/** Adds the limit of the viewer's key to a condition. */
export function limitRows(model: string, viewer: Viewer, where: Where): Where {
  const limit = limitOf(model, viewer);
  return limit ? { AND: [where, limit] } : where;
}

/** Whether the viewer's key may access a row that was read, as far as its own columns show. */
export function isWithinLimits(model: string, viewer: Viewer, row: Record<string, unknown>): boolean {
  return limitsOf(model).every((rowLimit) => {
    if (!viewer.key || 'through' in rowLimit) return true;
    const ids = viewer.key[rowLimit.to];
    return ids.length === 0 || ids.includes(row[rowLimit.column] as string);
  });
}
