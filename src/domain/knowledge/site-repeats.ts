import type { Services } from '../../context.ts';
import type { SourcePage } from '../../database/generated/prisma/client.ts';
import { type Repeat, type RepeatCounter, withoutRepeats } from '../../knowledge/crawl/repeats.ts';
import { count } from '../../knowledge/extract/ranges.ts';
import type { PassageLocation } from '../../search/types.ts';
import { type Crawled, change, replacePassages } from './site-pages.ts';

/** How many pages are compared at once. */
const batch = 50;

/**
 * Removes what repeats on the pages of a site that was crawled from all of them but the first, and says so in a
 * warning. They keep no hash of their content, so that the next crawl stores them whole and compares them again.
 */
export async function removeRepeats(
  services: Services,
  source: Crawled,
  counter: RepeatCounter,
  signal: AbortSignal,
): Promise<void> {
  const { workspaceId, id: sourceId, revision } = source;
  const read = { workspaceId, sourceId, revision, status: 'succeeded' as const, records: { gt: 0 } };
  const repeats = counter.found(await services.database.sourcePage.count({ where: read }));
  if (repeats.size === 0) return;
  const kept = new Map<string, number>();
  let pages: SourcePage[] = [];
  for (let skip = 0; skip === 0 || pages.length === batch; skip += batch) {
    signal.throwIfAborted();
    pages = await services.database.sourcePage.findMany({
      where: read,
      orderBy: [{ depth: 'asc' }, { id: 'asc' }],
      skip,
      take: batch,
    });
    for (const page of pages) await removeFrom(services, source, page, repeats, kept);
  }
  const left = [...repeats].flatMap(([key, { pages, length }]) => {
    const times = pages - (kept.get(key) ?? 0);
    return times > 0 ? [times * length] : [];
  });
  const characters = left.reduce((sum, length) => sum + length, 0);
  if (left.length === 0) return;
  const texts = count(left.length, 'text that repeats', 'texts that repeat');
  const warning = `${texts} on nearly all pages ${left.length === 1 ? 'is' : 'are'} kept on one: ${characters} characters are left out`;
  await change(services, source, async (tx) => {
    await tx.source.updateMany({ where: { workspaceId, id: sourceId }, data: { warnings: { push: warning } } });
  });
}

async function removeFrom(
  services: Services,
  source: Crawled,
  page: SourcePage,
  repeats: ReadonlyMap<string, Repeat>,
  kept: Map<string, number>,
): Promise<void> {
  const { workspaceId, id: sourceId, baseId } = source;
  const position = { gte: page.firstPosition, lt: page.firstPosition + page.records };
  const passages = await services.database.passage.findMany({
    where: { workspaceId, sourceId, position },
    orderBy: { position: 'asc' },
    select: { text: true, place: true },
  });
  const texts = passages.map(({ text }) => text);
  const left = withoutRepeats(texts, repeats, kept);
  if (left === texts) return;
  await change(services, source, async (tx) => {
    const rest = passages.flatMap(({ place }, index) => {
      const text = left[index];
      return text ? { text, place: place as PassageLocation } : [];
    });
    const added = await replacePassages(tx, source, page, rest);
    await tx.$executeRaw`UPDATE "Base" SET records = records + ${added}, "updatedAt" = ${services.now()} WHERE "workspaceId" = ${workspaceId} AND id = ${baseId}`;
  });
}
