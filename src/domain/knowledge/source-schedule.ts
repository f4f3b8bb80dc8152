import type { Context } from '../../context.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { transact } from '../../database/client.ts';
import type { Prisma, RefreshInterval, Source } from '../../database/generated/prisma/client.ts';
import { jsonNull } from '../../database/json.ts';
import { lockBase } from '../../search/base-lock.ts';
import { refreshIssues } from './source-input.ts';
import { nextRefresh } from './source-refresh.ts';

/**
 * Sets the interval at which a source is refreshed; null stops it. Equivalent to `data.refreshEvery`, and stored there
 * too. Throws 404, and 400 for a source that is not fetched from a URL.
 */
export async function scheduleSource(
  context: Context,
  id: string,
  refreshEvery: RefreshInterval | null,
): Promise<Source> {
  permit(context, 'bases.write');
  const { workspaceId } = context.viewer;
  return transact(context.database, async (tx) => {
    const known = await tx.source.findFirst({ where: { workspaceId, id }, select: { baseId: true } });
    if (!known || !(await lockBase(tx, { workspaceId, id: known.baseId }))) throw notFound('Source');
    const source = await tx.source.findFirst({ where: { workspaceId, id } });
    if (!source) throw notFound('Source');
    const { refreshEvery: _, ...rest } = (source.data ?? {}) as Prisma.JsonObject;
    const data = refreshEvery ? { ...rest, refreshEvery } : rest;
    const issues = refreshIssues(source.type, { url: source.url, data });
    if (issues[0]) throw invalid(`refreshEvery: ${issues[0].message}`);
    return tx.source.update({
      where: { workspaceId_id: { workspaceId, id } },
      data: {
        data: Object.keys(data).length > 0 ? data : jsonNull,
        refreshEvery,
        // A source in progress schedules its next refresh when it ends.
        nextRefreshAt: source.status === 'in_progress' ? null : nextRefresh(refreshEvery, context.now()),
      },
    });
  });
}
