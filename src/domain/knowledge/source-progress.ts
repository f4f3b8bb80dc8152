import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';

/** The id of a source, now and on each change of it, until it is read. Throws 404 `not_found`. */
export async function followSource(context: Context, id: string): Promise<AsyncIterable<string>> {
  permit(context, 'bases.read');
  const { workspaceId } = context.viewer;
  const source = await context.database.source.findFirst({ where: { workspaceId, id }, select: { baseId: true } });
  if (!source) throw notFound('Source');
  return context.sourceWatch.follow({ workspaceId, baseId: source.baseId, sourceId: id });
}

/** The ids of the sources of a base: of each now, then of each that changes, until all are read. Throws 404 `not_found`. */
export async function followBase(context: Context, id: string): Promise<AsyncIterable<string>> {
  permit(context, 'bases.read');
  const { workspaceId } = context.viewer;
  if (!(await context.database.base.findFirst({ where: { workspaceId, id }, select: { id: true } })))
    throw notFound('Base');
  return context.sourceWatch.follow({ workspaceId, baseId: id });
}
