import DataLoader from 'dataloader';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { memoize } from '../../core/lazy.ts';
import { may } from '../../core/permissions.ts';
import type { Message, Passage, Source } from '../../database/generated/prisma/client.ts';
import { type HybridHit, searchHybrid } from '../../search/hybrid.ts';
import { firstInput } from '../knowledge/passages.ts';
import { sourcesWithTags } from '../knowledge/source-tags.ts';
import type { Tags } from '../shared/tags.ts';

const reference = z.object({
  passageId: z.string(),
  sourceId: z.string(),
  baseId: z.string(),
  quote: z.string(),
  title: z.string().nullish(),
  url: z.string().nullish(),
  place: z.record(z.string(), z.unknown()).nullish(),
});
/** The source of a statement in a reply, as it was when the reply was made. */
export type Reference = z.output<typeof reference>;

/**
 * Returns the references of a message, in the order of their marks. Skips invalid ones: callers may set any metadata.
 */
export function referencesOf({ metadata }: Pick<Message, 'metadata'>): Reference[] {
  const { references } = metadata as { references?: unknown };
  if (!Array.isArray(references)) return [];
  return references.flatMap((given) => reference.safeParse(given).data ?? []);
}

type Loaders = { passages: DataLoader<string, Passage | null>; sources: DataLoader<string, Source | null> };

/** Per request: one statement for all passages, and one for all sources. */
const loadersOf = memoize(({ database, viewer }: Context): Loaders => {
  const among = (ids: readonly string[]) => ({ where: { workspaceId: viewer.workspaceId, id: { in: [...ids] } } });
  return {
    passages: new DataLoader(async (ids) => inOrder(ids, await database.passage.findMany(among(ids)))),
    sources: new DataLoader(async (ids) => inOrder(ids, await database.source.findMany(among(ids)))),
  };
});

function inOrder<Row extends { id: string }>(ids: readonly string[], rows: Row[]): (Row | null)[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

/**
 * Returns the passage of a reference; null if the viewer may not read bases, or if its source has been read again
 * since.
 */
export const findReferred = (context: Context, { passageId }: Pick<Reference, 'passageId'>): Promise<Passage | null> =>
  mayRead(context) ? loadersOf(context).passages.load(passageId) : Promise.resolve(null);

/** Returns the source of a reference; null if the viewer may not read bases, or if it was deleted. */
export const findReferredSource = (context: Context, { sourceId }: Pick<Reference, 'sourceId'>) =>
  mayRead(context) ? loadersOf(context).sources.load(sourceId) : Promise.resolve(null);

const mayRead = ({ viewer }: Context): boolean => may(viewer, 'bases.read');

/** What was searched for before a reply, and where. */
export type Retrieval = { query: string; baseIds: string[]; tags?: Tags };

/** Repeats the search of a reply on the sources as they are now, best first. Empty if the viewer may not read bases. */
export async function searchAgain(
  context: Context,
  { query, baseIds, tags }: Retrieval,
  first?: number | null,
): Promise<HybridHit[]> {
  const limit = firstInput(first);
  if (!mayRead(context)) return [];
  const sourceIds = await sourcesWithTags(context, baseIds, tags ?? {});
  return searchHybrid(context, { workspaceId: context.viewer.workspaceId, baseIds, sourceIds, query, limit });
}
