import type { Context } from '../../context.ts';
import { capitalized } from '../../core/capitals.ts';
import { forbidden, notFound } from '../../core/errors.ts';
import { type IdKind, kindOfId } from '../../database/ids.ts';
import { delegateOf } from '../../database/query/delegate.ts';
import { isLimitable, limitOf } from '../../database/query/row-limits.ts';

/**
 * For keys limited to some agents or bases: refuses an operation if any of its `ids` belongs to others. A mutation must
 * name a row, since what belongs to no agent or base is beyond such a key. Throws 403 and 404.
 */
export async function requireWithin(context: Context, ids: string[], changes: boolean): Promise<void> {
  const named = Map.groupBy(new Set(ids), (id) => modelOf(kindOfId(id)));
  named.delete(null);
  if (changes && named.size === 0) {
    throw forbidden('This key is limited to some agents or bases: it can only change what belongs to one of them.');
  }
  for (const [model, among] of named) {
    const limit = limitOf(model ?? '', context.viewer);
    if (!model || !limit) continue;
    const where = { AND: [{ workspaceId: context.viewer.workspaceId, id: { in: among } }, limit] };
    const found = await delegateOf(context.database, model).findMany({ where, select: { id: true } });
    if (found.length < among.length) throw notFound(model);
  }
}

/** The model of ids of a kind, if its rows belong to agents or bases. */
function modelOf(kind: IdKind | null): string | null {
  const name = kind && (models[kind] ?? capitalized(kind));
  return name && isLimitable(name) ? name : null;
}

const models: Partial<Record<IdKind, string>> = {
  question: 'GapQuestion',
  proposal: 'GapProposal',
  page: 'SourcePage',
};
