import { z } from 'zod';
import type { Context } from '../../context.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import type { Transaction } from '../../database/client.ts';
import type { Base, Prisma, Source } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { change } from '../../database/query/write.ts';
import { listRule, ofWorkspace } from '../../lists/list.ts';
import type { ReadingJob } from '../../queue/kinds.ts';
import { passagesWith } from '../../search/passage-text.ts';
import { parseInput } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';
import { tagsInput } from '../shared/tags.ts';
import { refreshBase } from './base-status.ts';
import {
  contentIssues,
  type File,
  type FileInput,
  fileColumns,
  fileInput,
  type NewSource,
  type SourceInput,
  sourceInput,
} from './source-input.ts';

export const sourceList = listRule({
  model: 'Source',
  permission: 'bases.read',
  analytics: { except: ['url', 'title', 'description', 'key', 'data', 'tags', 'reason'] },
  orders: { createdAt: { type: 'date' }, updatedAt: { type: 'date' }, tags: { type: 'key' } },
  filters: {
    status: { kind: 'in', column: 'status' },
    type: { kind: 'in', column: 'type' },
    baseId: { kind: 'equals', column: 'baseId' },
    createdAt: { kind: 'range', column: 'createdAt' },
    ids: { kind: 'in', column: 'id' },
    baseIds: { kind: 'in', column: 'baseId' },
    title: { kind: 'text', column: 'title', nullable: true },
    description: { kind: 'text', column: 'description', nullable: true },
    url: { kind: 'text', column: 'url', nullable: true },
    size: { kind: 'number', column: 'size', nullable: true },
    hasFailure: { kind: 'present', column: 'reason' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
    tags: { kind: 'keys', column: 'tags' },
    base: { kind: 'relation', relation: 'base', model: 'Base' },
  },
  groups: {
    moments: ['createdAt', 'updatedAt'],
    by: {
      status: { kind: 'value', column: 'status' },
      type: { kind: 'value', column: 'type' },
      base: { kind: 'related', column: 'baseId', model: 'Base' },
    },
    distinct: ['baseId'],
  },
});

export const passageList = listRule({
  model: 'Passage',
  permission: 'bases.read',
  analytics: { except: ['text', 'place'] },
  // Excludes drafts, and passages that were replaced and not yet deleted.
  rows: (viewer) => ({ ...ofWorkspace(viewer), NOT: { in: { draft: { not: null } } } }),
  orders: { position: { type: 'number' } },
  defaultDirection: 'asc',
  filters: {
    baseId: { kind: 'equals', column: 'baseId' },
    sourceId: { kind: 'equals', column: 'sourceId' },
    ids: { kind: 'in', column: 'id' },
    baseIds: { kind: 'in', column: 'baseId' },
    sourceIds: { kind: 'in', column: 'sourceId' },
    position: { kind: 'number', column: 'position' },
  },
  search: passagesWith,
});

type ToRead = Pick<Source, 'workspaceId' | 'id' | 'revision' | 'type'>;

export const sourcePageList = listRule({
  model: 'SourcePage',
  permission: 'bases.read',
  analytics: { except: ['url', 'title', 'reason'] },
  orders: { createdAt: { type: 'date' }, depth: { type: 'number' } },
  defaultDirection: 'asc',
  filters: {
    status: { kind: 'in', column: 'status' },
    sourceId: { kind: 'equals', column: 'sourceId' },
    ids: { kind: 'in', column: 'id' },
    sourceIds: { kind: 'in', column: 'sourceId' },
    url: { kind: 'text', column: 'url' },
    title: { kind: 'text', column: 'title', nullable: true },
    depth: { kind: 'number', column: 'depth' },
    records: { kind: 'number', column: 'records' },
    createdAt: { kind: 'range', column: 'createdAt' },
  },
  groups: {
    moments: ['createdAt'],
    by: {
      status: { kind: 'value', column: 'status' },
      source: { kind: 'related', column: 'sourceId', model: 'Source' },
    },
    numbers: ['depth'],
    distinct: ['sourceId'],
  },
});

/** Depth orders pages within one site only. */
export const allSourcePages = listRule({ ...sourcePageList, orders: { createdAt: { type: 'date' } } });

/** The job that reads the latest revision of a source. */
export const ingestJob = ({ workspaceId, id, revision, type }: ToRead): ReadingJob => ({
  name: type === 'site' ? 'crawl' : 'ingest',
  key: `${id}:${revision}`,
  data: { workspaceId, sourceId: id, revision },
});

/** Inserts sources in the given order. Returns the jobs that read them. */
export async function insertSources(
  tx: Transaction,
  base: Pick<Base, 'workspaceId' | 'id'>,
  inputs: NewSource[],
): Promise<ReadingJob[]> {
  const time = Date.now();
  const rows = inputs.map(({ type, file }, index) => ({
    // A millisecond apart, so that ids sort in the given order.
    id: newId('source', time + index),
    workspaceId: base.workspaceId,
    baseId: base.id,
    type,
    ...fileColumns(file),
  }));
  if (rows.length > 0) await tx.source.createMany({ data: rows });
  return rows.map((row) => ingestJob({ ...row, revision: 0 }));
}

/** The columns that restart the reading of a source. Work on earlier revisions becomes obsolete. */
export const readAgain = {
  status: 'in_progress',
  reason: null,
  attempts: 0,
  done: 0,
  total: null,
  revision: { increment: 1 },
  refreshing: false,
  nextRefreshAt: null,
} satisfies Prisma.SourceUpdateManyMutationInput;

/** Restarts the reading of a source, from a new file if one is given. */
export async function changeSource(
  tx: Transaction,
  workspaceId: string,
  id: string,
  file?: File,
): Promise<{ source: Source; jobs: ReadingJob[] }> {
  const source = await tx.source.update({
    where: { workspaceId_id: { workspaceId, id } },
    data: { ...(file && fileColumns(file)), ...readAgain },
  });
  return { source, jobs: [ingestJob(source)] };
}

/** Restarts the reading of sources as if they were new, so that nothing counts as unchanged. Returns the jobs. */
export async function forgetContent(
  tx: Transaction,
  which: { workspaceId: string; baseId: string; id?: string },
): Promise<ReadingJob[]> {
  const { workspaceId } = which;
  await tx.sourcePage.updateMany({ where: { workspaceId, source: which }, data: { contentHash: null } });
  const rows = await tx.source.updateManyAndReturn({
    where: which,
    data: { ...readAgain, contentHash: null },
    select: { workspaceId: true, id: true, revision: true, type: true },
  });
  return rows.map(ingestJob);
}

/** Adds a source to a base. Throws 400 `invalid_request`, and 404 for the base. */
export async function addSource(context: Context, baseId: string, input: SourceInput): Promise<Source> {
  permit(context, 'bases.write');
  const inputs = parseInput(sourceInput, input);
  return context.queue.transact(async (tx, enqueue) => {
    const base = await touchBase(tx, context, { id: baseId });
    if (!base) throw notFound('Base');
    const jobs = await insertSources(tx, base, [inputs]);
    await enqueue(jobs);
    return tx.source.findFirstOrThrow({ where: { workspaceId: base.workspaceId, id: jobs[0]?.data.sourceId } });
  });
}

/**
 * Replaces the file of a source, keeping its type, and reads it. Old passages are served until the new ones are
 * published. Throws 400 and 404.
 */
export async function updateSource(context: Context, id: string, input: FileInput): Promise<Source> {
  permit(context, 'bases.write');
  const file = parseInput(fileInput, input);
  return rewriteSource(context, id, file);
}

/** Reads a source again, whether it failed, succeeded or is being read. Throws 404. */
export async function retrySource(context: Context, id: string): Promise<Source> {
  permit(context, 'bases.write');
  return rewriteSource(context, id);
}

/** Reads a source as if it were new: unchanged content is split and indexed again, too. Throws 404. */
export async function reindexSource(context: Context, id: string): Promise<Source> {
  permit(context, 'bases.write');
  return context.queue.transact(async (tx, enqueue) => {
    const base = await touchBase(tx, context, { sources: { some: rowWithId(context, id) } });
    if (!base) throw notFound('Source');
    const { workspaceId, id: baseId } = base;
    await enqueue(await forgetContent(tx, { workspaceId, baseId, id }));
    return tx.source.findFirstOrThrow({ where: { workspaceId, id } });
  });
}

async function rewriteSource(context: Context, id: string, file?: File): Promise<Source> {
  return context.queue.transact(async (tx, enqueue) => {
    const base = await touchBase(tx, context, { sources: { some: rowWithId(context, id) } });
    if (!base) throw notFound('Source');
    const { source, jobs } = await changeSource(tx, base.workspaceId, id, file);
    const issues = file ? contentIssues(source.type, file) : [];
    if (issues.length > 0)
      throw invalid(issues.map(({ path, message }) => `${['file', ...path].join('.')}: ${message}`));
    await enqueue(jobs);
    return source;
  });
}

/** Replaces all tags of a source; its passages are not read again. Throws 400 and 404. */
export const setSourceTags = rowWrite({
  model: 'Source',
  permission: 'bases.write',
  prepare: (context, { id, tags }: { id: string; tags: unknown }) =>
    change('Source', rowWithId(context, id), { tags: parseInput(z.object({ tags: tagsInput }), { tags }).tags }),
});

/** Deletes a source with its passages, immediately. Throws 404 `not_found`. */
export async function deleteSource(context: Context, id: string): Promise<void> {
  permit(context, 'bases.write');
  await context.queue.transact(async (tx) => {
    const base = await touchBase(tx, context, { sources: { some: rowWithId(context, id) } });
    if (!base) throw notFound('Source');
    await tx.source.deleteMany({ where: { workspaceId: base.workspaceId, id } });
    await refreshBase(tx, base, context.now());
  });
}

/** Locks a base and marks it as changed by the viewer and in progress: the first step of every write to its sources. */
async function touchBase(tx: Transaction, { viewer }: Context, which: object): Promise<Base | undefined> {
  const [base] = await tx.base.updateManyAndReturn({
    where: { workspaceId: viewer.workspaceId, ...which },
    data: { status: 'in_progress', updatedBy: actorOf(viewer) },
  });
  return base;
}
