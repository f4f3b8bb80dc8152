import { z } from 'zod';
import type { Context } from '../../context.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import type { Agent, Base } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { orNotFound } from '../../database/query/found.ts';
import { removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { searchHybrid } from '../../search/hybrid.ts';
import { segmentsWith } from '../../search/passage-text.ts';
import type { PassageLocation } from '../../search/types.ts';
import { containsName, foldName } from '../../text/fold.ts';
import { parseInput, requiredText } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';
import type { Tags } from '../shared/tags.ts';
import { refreshBase } from './base-status.ts';
import { matchSources, mayMatch, type SourceInput, sourcesInput } from './source-input.ts';
import { sourcesWithTags } from './source-tags.ts';
import { changeSource, forgetContent, insertSources } from './sources.ts';

export const baseList = listRule({
  model: 'Base',
  permission: 'bases.read',
  analytics: { except: ['description'] },
  orders: { createdAt: { type: 'date' }, updatedAt: { type: 'date' } },
  filters: {
    status: { kind: 'in', column: 'status' },
    createdAt: { kind: 'range', column: 'createdAt' },
    agentId: { kind: 'related', relation: 'agentBases', column: 'agentId' },
    ids: { kind: 'in', column: 'id' },
    description: { kind: 'text', column: 'description' },
    records: { kind: 'number', column: 'records' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
  search: (term, viewer) => ({
    OR: [
      { searchText: containsName(term) },
      { segments: { some: segmentsWith(term, { workspaceId: viewer.workspaceId }) } },
    ],
  }),
  groups: {
    moments: ['createdAt', 'updatedAt'],
    by: { status: { kind: 'value', column: 'status' } },
    numbers: ['records'],
  },
});

export const baseInput = z.object({ description: requiredText(2_000), sources: sourcesInput });
type BaseInput = { description: string; sources: SourceInput[] };

/** Creates a base. It is in progress until its sources have been read in the background. */
export async function createBase(context: Context, input: BaseInput): Promise<Base> {
  permit(context, 'bases.write');
  const { description, sources } = parseInput(baseInput, input);
  const { workspaceId } = context.viewer;
  const actor = actorOf(context.viewer);
  return context.queue.transact(async (tx, enqueue) => {
    const base = await tx.base.create({
      data: { id: newId('base'), workspaceId, ...describe(description), createdBy: actor, updatedBy: actor },
    });
    await enqueue(await insertSources(tx, base, sources));
    return base;
  });
}

/**
 * Updates a base. Sources that it already has (same type and URL, key or content) are updated, others added; those not
 * given stay. All given sources are read again; the old passages are served until the new ones are published. Throws
 * 400 and 404.
 */
export async function updateBase(context: Context, id: string, input: BaseInput): Promise<Base> {
  permit(context, 'bases.write');
  const { description, sources } = parseInput(baseInput, input);
  const { workspaceId } = context.viewer;
  return context.queue.transact(async (tx, enqueue) => {
    // Also locks the base, as every write to its sources does first.
    const data = { ...describe(description), status: 'in_progress' as const, updatedBy: actorOf(context.viewer) };
    const base = await orNotFound('Base', tx.base.update({ where: { workspaceId_id: { workspaceId, id } }, data }));
    const rows = await tx.source.findMany({
      where: { workspaceId, baseId: id, ...mayMatch(sources) },
      select: { id: true, type: true, url: true, key: true, data: true },
      orderBy: { id: 'asc' },
    });
    const matches = matchSources(rows, sources);
    const jobs = await insertSources(
      tx,
      base,
      sources.filter((_, index) => !matches[index]),
    );
    for (const [index, { file }] of sources.entries()) {
      const match = matches[index];
      if (match) jobs.push(...(await changeSource(tx, workspaceId, match.id, file)).jobs);
    }
    await enqueue(jobs);
    return base;
  });
}

/**
 * Reads all sources of a base as if they were new. Old passages are served until the new ones are published. Throws
 * 404.
 */
export async function reindexBase(context: Context, id: string): Promise<Base> {
  permit(context, 'bases.write');
  const { workspaceId } = context.viewer;
  return context.queue.transact(async (tx, enqueue) => {
    const where = { workspaceId_id: { workspaceId, id } };
    await orNotFound('Base', tx.base.update({ where, data: { updatedBy: actorOf(context.viewer) } }));
    await enqueue(await forgetContent(tx, { workspaceId, baseId: id }));
    await refreshBase(tx, { workspaceId, id }, context.now());
    return tx.base.findUniqueOrThrow({ where });
  });
}

const describe = (description: string) => ({ description, searchText: foldName(description) });

/** Deletes a base with its sources and passages, immediately. Throws 404 `not_found`. */
export const deleteBase = rowWrite({
  model: 'Base',
  permission: 'bases.delete',
  prepare: (context, { id }: { id: string }) => removal('Base', rowWithId(context, id)),
});

/** A passage to answer from, and its location. */
type RetrievedPassage = {
  id: string;
  sourceId: string;
  baseId: string;
  text: string;
  place: PassageLocation;
  title: string | null;
  url: string | null;
  /** Comparable within one search only. */
  score: number;
  /** See `SearchHit`. */
  rarities?: ReadonlyMap<string, number>;
};

/** The passages found for a question in the bases of an agent, best first. */
type Retrieved = { query: string; baseIds: string[]; tags: Tags; passages: RetrievedPassage[] };
/** The bases that are searched, and the tags that sources must have. */
type RetrievalScope = { baseIds: string[]; tags: Tags };

/** The bases of an agent, limited to its tags. */
export async function retrievalScopeOf(
  { database, viewer: { workspaceId } }: Context,
  { id: agentId, sourceTags }: Pick<Agent, 'id' | 'sourceTags'>,
): Promise<RetrievalScope> {
  const attached = await database.agentBase.findMany({ where: { workspaceId, agentId }, select: { baseId: true } });
  return { baseIds: attached.map(({ baseId }) => baseId), tags: sourceTags as Tags };
}

/** Returns the passages of bases that match a question, at most `limit`. */
export async function retrievePassages(
  context: Context,
  { baseIds, tags }: RetrievalScope,
  query: string,
  limit: number,
): Promise<Retrieved> {
  const { database, viewer } = context;
  const { workspaceId } = viewer;
  if (baseIds.length === 0) return { query, baseIds, tags, passages: [] };
  const sourceIds = await sourcesWithTags(context, baseIds, tags);
  const found = await searchHybrid(context, { workspaceId, baseIds, sourceIds, query, limit });
  if (found.length === 0) return { query, baseIds, tags, passages: [] };
  const sources = await database.source.findMany({
    where: { workspaceId, id: { in: found.map(({ sourceId }) => sourceId) } },
    select: { id: true, title: true, url: true },
  });
  const sourceById = new Map(sources.map((source) => [source.id, source]));
  const passages = found.map(({ id, sourceId, baseId, text, place, score, rarities }) => {
    const { title = null, url = null } = sourceById.get(sourceId) ?? {};
    // Pages of a site are cited individually.
    const own = { id, sourceId, baseId, text, place, score, rarities };
    return { ...own, title: place.title ?? title, url: place.url ?? url };
  });
  return { query, baseIds, tags, passages };
}
