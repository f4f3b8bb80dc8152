import type { Context, Services } from '../../context.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { transact } from '../../database/client.ts';
import type { Prisma, RefreshInterval, Source } from '../../database/generated/prisma/client.ts';
import { jsonNull } from '../../database/json.ts';
import { lockBase } from '../../search/base-lock.ts';
import { refreshBase } from './base-status.ts';
import { refreshIssues } from './source-input.ts';
import { ingestJob, readAgain } from './sources.ts';

const hourMs = 3_600_000;
const intervals: { [Interval in RefreshInterval]: number } = {
  hourly: hourMs,
  daily: 24 * hourMs,
  weekly: 7 * 24 * hourMs,
  monthly: 30 * 24 * hourMs,
};
/** By what share an interval varies, so that sources added together are not all refreshed together. */
const jitter = 0.05;

/** When to refresh a source that is read or scheduled `now`; null if it has no interval. */
const nextRefresh = (every: RefreshInterval | null, now: Date): Date | null =>
  every && new Date(now.getTime() + intervals[every] * (1 - jitter + 2 * jitter * Math.random()));

export type Scheduled = Pick<Source, 'refreshing' | 'refreshEvery'>;

/** The columns to update when a source was read. */
export const readEnd = ({ refreshEvery }: Scheduled, now: Date) =>
  ({
    status: 'succeeded',
    refreshing: false,
    lastRefreshError: null,
    nextRefreshAt: nextRefresh(refreshEvery, now),
  }) satisfies Prisma.SourceUpdateManyMutationInput;

/**
 * The columns to update when reading failed. After a failed scheduled refresh, the source stays succeeded with its
 * passages.
 */
export const failedEnd = ({ refreshing, refreshEvery }: Scheduled, reason: string, now: Date) =>
  ({
    ...(refreshing ? { status: 'succeeded', lastRefreshError: reason } : { status: 'failed', reason }),
    refreshing: false,
    nextRefreshAt: nextRefresh(refreshEvery, now),
  }) satisfies Prisma.SourceUpdateManyMutationInput;

const atOnce = 100;

/** Starts the refresh of all sources that are due, each once even if several processes look for them. */
export async function startRefreshes(services: Services): Promise<void> {
  const { database, now } = services;
  for (;;) {
    const due = await database.source.findMany({
      where: { nextRefreshAt: { lte: now() } },
      select: { workspaceId: true, baseId: true, id: true, status: true, nextRefreshAt: true },
      orderBy: { nextRefreshAt: 'asc' },
      take: atOnce,
    });
    for (const source of due) await startRefresh(services, source);
    if (due.length < atOnce) return;
  }
}

type Due = Pick<Source, 'workspaceId' | 'baseId' | 'id' | 'status' | 'nextRefreshAt'>;

async function startRefresh({ queue, now }: Services, { baseId, ...due }: Due): Promise<void> {
  await queue.transact(async (tx, enqueue) => {
    const base = { workspaceId: due.workspaceId, id: baseId };
    if (!(await lockBase(tx, base))) return;
    const rows = await tx.source.updateManyAndReturn({
      where: due,
      data: { ...readAgain, refreshing: due.status === 'succeeded' },
      select: { workspaceId: true, id: true, revision: true, type: true },
    });
    if (rows.length === 0) return;
    await refreshBase(tx, base, now());
    await enqueue(rows.map(ingestJob));
  });
}

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
