import type { Services } from '../../context.ts';
import type { Prisma, RefreshInterval, Source } from '../../database/generated/prisma/client.ts';
import { lockBase } from '../../search/base-lock.ts';
import { refreshBase } from './base-status.ts';
import { ingestJob, readAgain } from './sources.ts';

const hourMs = 3_600_000;
const intervals: { [Interval in RefreshInterval]: number } = {
  hourly: hourMs,
  daily: 24 * hourMs,
  weekly: 7 * 24 * hourMs,
  monthly: 30 * 24 * hourMs,
};
/** By what share of it an interval may be longer or shorter, so that what was added together is not read together. */
const jitter = 0.05;

/** When a source is read again that was read, or is scheduled, now; null when it is not. */
export const nextRefresh = (every: RefreshInterval | null, now: Date): Date | null =>
  every && new Date(now.getTime() + intervals[every] * (1 - jitter + 2 * jitter * Math.random()));

export type Scheduled = Pick<Source, 'refreshing' | 'refreshEvery'>;

/** What is written of a source when it was read. */
export const readEnd = ({ refreshEvery }: Scheduled, now: Date) =>
  ({
    status: 'succeeded',
    refreshing: false,
    lastRefreshError: null,
    nextRefreshAt: nextRefresh(refreshEvery, now),
  }) satisfies Prisma.SourceUpdateManyMutationInput;

/** What is written of a source that could not be read. Where it was read again by itself, what was there stays and serves. */
export const failedEnd = ({ refreshing, refreshEvery }: Scheduled, reason: string, now: Date) =>
  ({
    ...(refreshing ? { status: 'succeeded', lastRefreshError: reason } : { status: 'failed', reason }),
    refreshing: false,
    nextRefreshAt: nextRefresh(refreshEvery, now),
  }) satisfies Prisma.SourceUpdateManyMutationInput;

const atOnce = 100;

/** Has those sources read again whose time has come: each once, whichever process looks first. */
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
