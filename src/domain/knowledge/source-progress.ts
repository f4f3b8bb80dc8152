import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';

/** Yields the id of a source at once and on every change, until it has been read. Throws 404 `not_found`. */
export async function watchSource(context: Context, id: string): Promise<AsyncIterable<string>> {
  permit(context, 'bases.read');
  const { workspaceId } = context.viewer;
  const source = await context.database.source.findFirst({ where: { workspaceId, id }, select: { baseId: true } });
  if (!source) throw notFound('Source');
  return context.sourceWatch.follow({ workspaceId, baseId: source.baseId, sourceId: id });
}

/**
 * Yields the ids of all sources of a base, then of each that changes, until all have been read. Throws 404 `not_found`.
 */
export async function watchBase(context: Context, id: string): Promise<AsyncIterable<string>> {
  permit(context, 'bases.read');
  const { workspaceId } = context.viewer;
  if (!(await context.database.base.findFirst({ where: { workspaceId, id }, select: { id: true } })))
    throw notFound('Base');
  return context.sourceWatch.follow({ workspaceId, baseId: id });
}
