import type { Services } from '../../context.ts';
import { grouped } from '../../core/validation.ts';
import { type Database, type Transaction, transact } from '../../database/client.ts';
import type { Source, SourcePage } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { splitPassages } from '../../knowledge/chunk.ts';
import type { Visit } from '../../knowledge/crawl/crawl.ts';
import { lockBase } from '../../search/base-lock.ts';
import { insertPassages } from '../../search/passages.ts';
import type { NewPassage } from '../../search/types.ts';

export type SiteLimits = { pages: number; depth: number };
export type Crawled = Pick<Source, 'workspaceId' | 'baseId' | 'id' | 'revision'>;

/** Returns the next page to read, closest to the start, and counts the attempt. */
export async function claimPage(
  database: Database,
  { workspaceId, id, revision }: Crawled,
): Promise<SourcePage | undefined> {
  const [page] = await database.$queryRaw<SourcePage[]>`
    UPDATE "SourcePage" SET tries = tries + 1 WHERE "workspaceId" = ${workspaceId} AND id = (
      SELECT id FROM "SourcePage"
      WHERE "workspaceId" = ${workspaceId} AND "sourceId" = ${id} AND revision = ${revision} AND status = 'waiting'
      ORDER BY depth, id LIMIT 1
    ) RETURNING *`;
  return page;
}

const heldReason = 'Pages in other languages are read after all others';
const limitReason = ({ pages }: SiteLimits) => `The site has more than ${grouped(pages)} pages`;

/**
 * Adds pages that were found, each once per crawl, and counts them. Pages beyond a limit are recorded as skipped, at
 * most `limits.pages` of them per crawl; a warning on the source says if there were more. `isHeld`: they wait for
 * `releasePages`, and take no room until then.
 */
export async function addPages(
  tx: Transaction,
  source: Crawled,
  urls: string[],
  depth: number,
  limits: SiteLimits,
  isHeld = false,
): Promise<void> {
  if (urls.length === 0) return;
  const { workspaceId, id, revision } = source;
  const { total } = await tx.source.findUniqueOrThrow({
    where: { workspaceId_id: { workspaceId, id } },
    select: { total: true },
  });
  const deep = depth > limits.depth;
  const taken = isHeld ? await tx.sourcePage.count({ where: heldPages(source) }) : (total ?? 0);
  const remaining = deep ? 0 : Math.max(0, limits.pages - taken);
  const newRow = await newUrls(tx, source, urls);
  const time = Date.now();
  const over = newRow.slice(remaining);
  const skipped = over.slice(0, over.length && (await roomForSkipped(tx, source, limits)));
  if (skipped.length < over.length) {
    const warning = `More pages were found than are listed: of those skipped for a limit, ${limits.pages} are`;
    await tx.source.updateMany({ where: { workspaceId, id }, data: { warnings: [warning] } });
  }
  const groups: [string[], string | null][] = [
    [newRow.slice(0, remaining), isHeld ? heldReason : null],
    [skipped, deep ? `It is more than ${limits.depth} links away` : limitReason(limits)],
  ];
  for (const [group, reason] of groups) {
    if (group.length === 0) continue;
    // A millisecond apart, so that pages are read in the order of their links.
    const ids = group.map((_, index) => newId('page', time + index));
    await tx.$executeRaw`
      INSERT INTO "SourcePage" ("id", "workspaceId", "sourceId", "url", "depth", "revision", "status", "reason")
      SELECT id, ${workspaceId}, ${id}, url, ${depth}, ${revision}, ${reason === null ? 'waiting' : 'skipped'}::"SourcePageStatus", ${reason}
      FROM unnest(${ids}::text[], ${group}::text[]) AS new(id, url)
      ON CONFLICT ("workspaceId", "sourceId", "url") DO UPDATE SET
        depth = excluded.depth, revision = excluded.revision, status = excluded.status, reason = excluded.reason, tries = 0
      WHERE "SourcePage".revision < excluded.revision`;
    if (reason === null) {
      await tx.source.updateMany({ where: { workspaceId, id }, data: { total: (total ?? 0) + group.length } });
    }
  }
}

const heldPages = ({ workspaceId, id, revision }: Crawled) => ({
  workspaceId,
  sourceId: id,
  revision,
  status: 'skipped' as const,
  tries: 0,
  reason: heldReason,
});

/** Lets the pages that are held be read, those closest to the start first, as far as the limit has room. */
export async function releasePages(tx: Transaction, source: Crawled, limits: SiteLimits): Promise<void> {
  const { workspaceId, id, revision } = source;
  const where = { workspaceId_id: { workspaceId, id } };
  const { total } = await tx.source.findUniqueOrThrow({ where, select: { total: true } });
  const count = await tx.$executeRaw`
    UPDATE "SourcePage" SET status = 'waiting', reason = NULL WHERE "workspaceId" = ${workspaceId} AND id IN (
      SELECT id FROM "SourcePage"
      WHERE "workspaceId" = ${workspaceId} AND "sourceId" = ${id} AND revision = ${revision}
        AND status = 'skipped' AND tries = 0 AND reason = ${heldReason}
      ORDER BY depth, id LIMIT ${Math.max(0, limits.pages - (total ?? 0))}
    )`;
  await tx.sourcePage.updateMany({ where: heldPages(source), data: { reason: limitReason(limits) } });
  if (count > 0) await tx.source.update({ where, data: { total: { increment: count } } });
}

/** How many more pages may be recorded as skipped for a limit. These were never claimed. */
async function roomForSkipped(tx: Transaction, source: Crawled, limits: SiteLimits) {
  const where = { ...heldPages(source), reason: { not: heldReason } };
  return Math.max(0, limits.pages - (await tx.sourcePage.count({ where })));
}

/** The URLs that this crawl has not seen yet, without duplicates. */
async function newUrls(tx: Transaction, { workspaceId, id, revision }: Crawled, urls: string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ url: string }[]>`
    SELECT url FROM unnest(${[...new Set(urls)]}::text[]) WITH ORDINALITY AS given(url, n)
    WHERE NOT EXISTS (
      SELECT 1 FROM "SourcePage" page WHERE page."workspaceId" = ${workspaceId} AND page."sourceId" = ${id}
        AND page.url = given.url AND page.revision = ${revision}
    ) ORDER BY n`;
  return rows.map(({ url }) => url);
}

/** Stores the result of a page with its passages. Returns by how many passages the site grew. */
export async function finishPage(
  tx: Transaction,
  source: Crawled,
  page: SourcePage,
  visit: Visit,
  now: Date,
): Promise<number> {
  if (visit.outcome === 'skipped') return excludePage(tx, page, visit.reason, now);
  if (visit.outcome === 'failed') return failPage(tx, page, visit, now);
  const target = visit.url === page.url ? page : await pageAt(tx, source, page, visit.url);
  let added = 0;
  if (target.id !== page.id) added += await excludePage(tx, page, `It redirects to ${visit.url}`, now);
  if (target.status !== 'waiting' && target.id !== page.id) return added;
  const duplicate = await findDuplicate(tx, source, target, visit.hash);
  if (duplicate) return added + (await excludePage(tx, target, `It has the same text as ${duplicate.url}`, now));
  return added + (await storePage(tx, source, target, visit, now));
}

/** The row of the URL that a page redirected to, created or reset if this crawl has not seen it. */
async function pageAt(
  tx: Transaction,
  { workspaceId, id, revision }: Crawled,
  page: SourcePage,
  url: string,
): Promise<SourcePage> {
  const where = { workspaceId_sourceId_url: { workspaceId, sourceId: id, url } };
  const known = await tx.sourcePage.findUnique({ where });
  if (known?.revision === revision) return known;
  const newRow = { revision, depth: page.depth, status: 'waiting' as const, reason: null };
  return tx.sourcePage.upsert({
    where,
    update: newRow,
    create: { ...newRow, id: newId('page'), workspaceId, sourceId: id, url },
  });
}

const findDuplicate = (
  tx: Transaction,
  { workspaceId, id, revision }: Crawled,
  page: SourcePage,
  contentHash: string,
) =>
  tx.sourcePage.findFirst({
    where: { workspaceId, sourceId: id, revision, status: 'succeeded', contentHash, id: { not: page.id } },
    select: { url: true },
  });

async function storePage(
  tx: Transaction,
  source: Crawled,
  page: SourcePage,
  visit: Visit & { outcome: 'read' },
  now: Date,
): Promise<number> {
  const { extracted, hash } = visit;
  const title = extracted.title ?? null;
  const data = { status: 'succeeded' as const, reason: null, title, readAt: now };
  // Passages are cited under the title of their page, so a new title counts as a change.
  if (page.contentHash === hash && page.title === title && page.records > 0) {
    await tx.sourcePage.update({ where: keyOf(page), data });
    return 0;
  }
  const passages = splitPassages(
    extracted.sections.map((section) => ({ ...section, url: page.url, ...(title && { title }) })),
  );
  const added = await replacePassages(tx, source, page, passages);
  await tx.sourcePage.update({ where: keyOf(page), data: { ...data, contentHash: hash } });
  return added;
}

/** Puts passages in the place of those of a page. Returns by how many the site grew. */
export async function replacePassages(
  tx: Transaction,
  { workspaceId, baseId, id: sourceId }: Crawled,
  page: SourcePage,
  passages: Pick<NewPassage, 'text' | 'place'>[],
): Promise<number> {
  const removed = await removePassages(tx, page);
  // Uses the index; Prisma's aggregate would scan every passage of the source.
  const last = await tx.passage.findFirst({
    where: { workspaceId, sourceId },
    orderBy: { position: 'desc' },
    select: { position: true },
  });
  const firstPosition = (last?.position ?? -1) + 1;
  await insertPassages(
    tx,
    passages.map(({ text, place }, index) => ({
      workspaceId,
      baseId,
      sourceId,
      text,
      place,
      position: firstPosition + index,
    })),
  );
  await tx.sourcePage.update({ where: keyOf(page), data: { firstPosition, records: passages.length } });
  return passages.length - removed;
}

const keyOf = ({ workspaceId, id }: SourcePage) => ({ workspaceId_id: { workspaceId, id } });

/** A page that no longer exists loses its passages; one that cannot be read now keeps them. */
async function failPage(
  tx: Transaction,
  page: SourcePage,
  { reason, isGone }: Visit & { outcome: 'failed' },
  now: Date,
): Promise<number> {
  const removed = isGone ? await removePassages(tx, page) : 0;
  await tx.sourcePage.update({ where: keyOf(page), data: { status: 'failed', reason, readAt: now } });
  return -removed;
}

async function excludePage(tx: Transaction, page: SourcePage, reason: string, now: Date): Promise<number> {
  const removed = await removePassages(tx, page);
  await tx.sourcePage.update({ where: keyOf(page), data: { status: 'skipped', reason, readAt: now } });
  return -removed;
}

/** The passages of a page have consecutive positions within the site. */
async function removePassages(tx: Transaction, page: SourcePage): Promise<number> {
  const { workspaceId, sourceId, firstPosition, records } = page;
  if (records === 0) return 0;
  const position = { gte: firstPosition, lt: firstPosition + records };
  const { count } = await tx.passage.deleteMany({ where: { workspaceId, sourceId, position } });
  await tx.sourcePage.update({ where: keyOf(page), data: { contentHash: null, records: 0 } });
  return count;
}

/**
 * Removes the passages that belong to none of the site's pages or to skipped ones, and with `unmet` the pages that this
 * crawl has not seen.
 */
export async function removeOthers(tx: Transaction, { workspaceId, id, revision }: Crawled, unmet: boolean) {
  await tx.sourcePage.updateMany({
    where: { workspaceId, sourceId: id, revision, status: 'skipped', records: { gt: 0 } },
    data: { records: 0, contentHash: null },
  });
  if (unmet) await tx.sourcePage.deleteMany({ where: { workspaceId, sourceId: id, revision: { lt: revision } } });
  await tx.$executeRaw`
    WITH held AS MATERIALIZED (
      SELECT generate_series("firstPosition", "firstPosition" + records - 1) AS position
      FROM "SourcePage" WHERE "workspaceId" = ${workspaceId} AND "sourceId" = ${id}
    )
    DELETE FROM "Passage" WHERE "workspaceId" = ${workspaceId} AND "sourceId" = ${id}
      AND NOT EXISTS (SELECT 1 FROM held WHERE held.position = "Passage".position)`;
}

/**
 * Writes to a site while it is being read. Resolves to false, writing nothing, if it was updated or deleted meanwhile.
 */
export function change(
  { database }: Pick<Services, 'database'>,
  { workspaceId, baseId, id, revision }: Crawled,
  write: (tx: Transaction) => Promise<void>,
): Promise<boolean> {
  return transact(
    database,
    async (tx) => {
      if (!(await lockBase(tx, { workspaceId, id: baseId }))) return false;
      if ((await tx.source.count({ where: { workspaceId, id, revision, status: 'in_progress' } })) === 0) return false;
      await write(tx);
      return true;
    },
    { timeoutMs: 120_000 },
  );
}
