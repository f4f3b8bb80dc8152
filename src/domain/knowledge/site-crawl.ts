import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Services } from '../../context.ts';
import type { Transaction } from '../../database/client.ts';
import type { Source, SourcePage } from '../../database/generated/prisma/client.ts';
import { SiteReader, type Visit } from '../../knowledge/crawl/crawl.ts';
import { RepeatCounter } from '../../knowledge/crawl/repeats.ts';
import { pageAddress } from '../../knowledge/extract/links.ts';
import { FetchFailure } from '../../net/fetch-failure.ts';
import { refreshBase } from './base-status.ts';
import { addPages, change, claimPage, finishPage, releasePages, removeOthers, type SiteLimits } from './site-pages.ts';
import { removeRepeats } from './site-repeats.ts';
import { described } from './source-description.ts';
import { failedEnd, readEnd } from './source-refresh.ts';

/** How many attempts a page gets after failures that a retry may fix. */
const maxTries = 3;
/**
 * How many attempts it gets in all, including those that ended with the process: a page that crashes the process must
 * not do so forever, but a few restarts must not lose a page.
 */
const maxStarts = 10;
/** The longest wait that a server may ask for. */
export const maxWaitMs = 5 * 60_000;
/** Time limit of a crawl, below that of its job; the remaining pages are skipped with a reason. */
const maxMs = 5 * 3_600_000;

const given = z.object({
  maxPages: z.number().int().min(1).optional().catch(undefined),
  maxDepth: z.number().int().min(0).optional().catch(undefined),
});

function limitsOf({ config }: Services, source: Source): SiteLimits {
  const { maxPages = config.crawl.maxPages, maxDepth = config.crawl.maxDepth } =
    given.safeParse(source.data).data ?? {};
  return { pages: Math.min(maxPages, config.crawl.maxPages), depth: Math.min(maxDepth, config.crawl.maxDepth) };
}

/**
 * Reads a site page by page and stores each at once, so that an interrupted crawl can be resumed. The old passages of a
 * page are served until its new ones are stored. The source ends as succeeded or failed. Rejects with `FetchFailure` if
 * the site as a whole cannot be read.
 */
export async function crawlSite(services: Services, source: Source, signal: AbortSignal): Promise<void> {
  const { database, guardedFetch, config } = services;
  const limits = limitsOf(services, source);
  const start = pageAddress(source.url ?? '', null);
  if (!start) throw new FetchFailure('The address is not a web page');
  await change(services, source, async (tx) => {
    // A crawl that is resumed keeps its warnings.
    if (source.total === null)
      await tx.source.updateMany({ where: { workspaceId: source.workspaceId, id: source.id }, data: { warnings: [] } });
    await addPages(tx, source, [start], 0, limits);
  });
  const { workspaceId } = source;
  const seen = { workspaceId, sourceId: source.id, revision: source.revision, depth: 0 };
  const ended =
    (await database.sourcePage.findFirst({ where: { ...seen, status: 'succeeded' }, select: { url: true } })) ??
    (await database.sourcePage.findFirst({ where: { ...seen, status: 'skipped' }, select: { url: true } }));
  const options = { workspaceId, guardedFetch, signal, delayMs: config.crawl.delayMs };
  const site = new SiteReader(start, ended?.url ?? null, options);
  const repeats = new RepeatCounter();
  const end = performance.now() + maxMs;
  const next = async () => (await claimPage(database, source)) ?? (await claimTranslation(services, source, limits));
  for (let page = await next(); page; page = await next()) {
    const late = performance.now() > end;
    const visit: Visit = late
      ? { outcome: 'skipped', reason: 'The site takes too long to crawl' }
      : await visitPage(site, page, source);
    if (visit.outcome === 'failed' && visit.isTransient && page.tries < maxTries) {
      const asked = Math.min(visit.retryAfterMs ?? 0, maxWaitMs);
      await wait(Math.max(asked, config.crawl.delayMs * 5 * page.tries), undefined, { signal });
      continue;
    }
    if (visit.outcome === 'read') repeats.add(visit.hash, visit.url, textsOf(visit));
    if (page.url === start && visit.outcome !== 'failed') {
      const listed = await site.listed(limits.pages * 2);
      visit.links?.push(...listed.links);
      visit.translations?.push(...listed.translations);
    }
    const going = await saveVisit(services, source, page, visit, limits);
    if (!going) return;
  }
  await removeRepeats(services, source, repeats, signal);
  await endCrawl(services, source);
}

const textsOf = ({ extracted }: Visit & { outcome: 'read' }) => extracted.sections.map(({ text }) => text);

async function visitPage(site: SiteReader, page: SourcePage, { url }: Source): Promise<Visit> {
  if (page.tries > maxStarts)
    return { outcome: 'failed', reason: `It was interrupted ${maxStarts} times`, isTransient: false, isGone: false };
  const visit = await site.visit(page.url);
  return visit.outcome === 'skipped' && !visit.links && page.url === url
    ? { outcome: 'failed', reason: visit.reason, isTransient: false, isGone: false }
    : visit;
}

/** The first of the pages in other languages, once those in the language that the site was named in are read. */
async function claimTranslation(services: Services, source: Source, limits: SiteLimits) {
  await change(services, source, (tx) => releasePages(tx, source, limits));
  return claimPage(services.database, source);
}

/** Stores the result of a page and the links found on it, in one transaction. */
function saveVisit(
  services: Services,
  source: Source,
  page: SourcePage,
  visit: Visit,
  limits: SiteLimits,
): Promise<boolean> {
  const { workspaceId, baseId, id } = source;
  return change(services, source, async (tx) => {
    const now = services.now();
    const [current] = await tx.sourcePage.findMany({
      where: { workspaceId, id: page.id, revision: source.revision, status: 'waiting' },
    });
    if (!current) return;
    const added = await finishPage(tx, source, current, visit, now);
    if (visit.outcome !== 'failed') {
      // First, since a page that is found twice keeps its first depth.
      await addPages(tx, source, visit.next ?? [], Math.max(1, page.depth), limits);
      await addPages(tx, source, visit.links ?? [], page.depth + 1, limits);
      await addPages(tx, source, visit.translations ?? [], Math.max(1, page.depth), limits, true);
    }
    if (page.depth === 0 && visit.outcome === 'read') await describeSource(tx, source, visit);
    await tx.$executeRaw`UPDATE "Base" SET records = records + ${added}, "updatedAt" = ${now} WHERE "workspaceId" = ${workspaceId} AND id = ${baseId}`;
    await tx.source.updateMany({ where: { workspaceId, id }, data: { done: { increment: 1 } } });
  });
}

/** The start page describes the site, unless a description was given. */
async function describeSource(
  tx: Transaction,
  source: Source,
  { extracted }: Visit & { outcome: 'read' },
): Promise<void> {
  await tx.source.updateMany({
    where: { workspaceId: source.workspaceId, id: source.id },
    data: described(source, extracted),
  });
}

/**
 * A site succeeds if any of its pages was read. Otherwise it fails with the reason of its first page, and keeps its
 * passages.
 */
async function endCrawl(services: Services, source: Source): Promise<void> {
  const { workspaceId, baseId, id, revision } = source;
  await change(services, source, async (tx) => {
    const pages = { workspaceId, sourceId: id, revision };
    const read = await tx.sourcePage.count({ where: { ...pages, status: 'succeeded' } });
    const first = await tx.sourcePage.findFirst({
      where: { ...pages, status: 'failed' },
      orderBy: [{ depth: 'asc' }, { id: 'asc' }],
    });
    // Pages linked only from a page that failed this time were not seen, but may still exist.
    const unread = await tx.sourcePage.count({ where: { ...pages, status: 'failed', records: { gt: 0 } } });
    if (read > 0) await removeOthers(tx, source, unread === 0);
    const reason = first?.reason ?? 'No page of it could be read';
    const now = services.now();
    const current = await tx.source.findUniqueOrThrow({ where: { workspaceId_id: { workspaceId, id } } });
    await tx.source.updateMany({
      where: { workspaceId, id },
      data: read > 0 ? readEnd(current, now) : failedEnd(current, reason, now),
    });
    await refreshBase(tx, { workspaceId, id: baseId }, now);
  });
}
