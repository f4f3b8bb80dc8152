import { z } from 'zod';
import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import type { Gap, Message, Source } from '../../database/generated/prisma/client.ts';
import { limitRows } from '../../database/query/row-limits.ts';
import { listRule } from '../../lists/list.ts';
import { findAnswer } from '../../model/embedded/find-answer.ts';
import { searchHybrid } from '../../search/hybrid.ts';
import { parseInput } from '../shared/input.ts';
import type { Tags } from '../shared/tags.ts';
import { retrievalScopeOf, retrievePassages } from './knowledge-bases.ts';
import { sourcesWithTags } from './source-tags.ts';

const ofReply = { relation: 'message', model: 'Message' } as const;

/** Citations are read as the replies that they belong to are. */
export const citationList = listRule({
  model: 'Citation',
  permission: 'conversations.read',
  analytics: { except: [] },
  orders: { createdAt: { type: 'date' } },
  filters: {
    createdAt: { kind: 'range', column: 'createdAt' },
    sourceIds: { kind: 'in', column: 'sourceId' },
    source: { kind: 'relation', relation: 'source', model: 'Source' },
    message: { kind: 'relation', relation: 'message', model: 'Message' },
  },
  groups: {
    moments: ['createdAt'],
    by: {
      source: { kind: 'related', column: 'sourceId', model: 'Source' },
      base: { kind: 'related', column: 'baseId', model: 'Base', via: { relation: 'source', model: 'Source' } },
      agent: { kind: 'related', column: 'agentId', model: 'Agent', allowed: ['name'], via: ofReply },
      rating: { kind: 'value', column: 'rating', via: ofReply },
    },
    distinct: ['messageId', 'sourceId'],
  },
});

const most = 200;
const amount = `must be between 1 and ${most}`;
const firstInput = z.object({
  first: z
    .int()
    .min(1, amount)
    .max(most, amount)
    .nullish()
    .transform((first) => first ?? 100),
});
/** The validated number of past questions or gaps to examine. Throws 400. */
const firstOf = (first: number | null | undefined): number => parseInput(firstInput, { first }).first;

/** How many of the newest replies are searched for those that were given the source without citing it. */
const newestReplies = 1_000;
/** How many passages a gap's question is answered from: those that a model would be given. */
const passageCount = 6;

/** What was searched for before a reply: see `Retrieval` of conversations. */
type Search = { query: string; baseIds: string[]; tags?: Tags };
/** A past question that finds nothing without a source, with the newest reply to it. */
export type LostQuestion = { question: string; reply: Message };
export type LostQuestions = { examined: number; nodes: LostQuestion[] };
export type ClosedGaps = { examined: number; nodes: Gap[] };

/** Returns the source whose impact is asked for. Throws 404. */
export async function requireSource(context: Context, id: string): Promise<Source> {
  permit(context, 'bases.write');
  const { database, viewer } = context;
  const source = await database.source.findFirst({
    where: limitRows('Source', viewer, { workspaceId: viewer.workspaceId, id }),
  });
  if (!source) throw notFound('Source');
  return source;
}

/** How many replies cite a source. */
export const countCitations = ({ database, viewer }: Context, { workspaceId, id }: Source): Promise<number> =>
  database.citation.count({ where: limitRows('Citation', viewer, { workspaceId, sourceId: id }) });

/**
 * Repeats the searches of the newest replies that cite a source or were given it, with and without its passages, at
 * most `first` different ones. Returns those that find nothing without it, newest first.
 */
export async function findLostQuestions(
  context: Context,
  source: Source,
  first: number | null | undefined,
): Promise<LostQuestions> {
  const limit = firstOf(first);
  const { database, viewer } = context;
  const { workspaceId } = viewer;
  const ids = await repliesWith(context, source, limit);
  const replies = await database.message.findMany({
    where: limitRows('Message', viewer, { workspaceId, id: { in: ids } }),
    orderBy: { id: 'desc' },
    include: { trace: true },
  });
  const searches = new Map<string, LostQuestion & { search: Search }>();
  for (const { trace, ...reply } of replies) {
    const search = (trace?.data as { retrieval?: Search } | undefined)?.retrieval;
    if (!search) continue;
    const { query, baseIds, tags } = search;
    const key = JSON.stringify([query, baseIds, tags ?? {}]);
    if (!searches.has(key) && searches.size < limit) searches.set(key, { question: query, reply, search });
  }
  const nodes: LostQuestion[] = [];
  for (const { search, ...question } of searches.values()) {
    const { query, baseIds, tags } = search;
    const sourceIds = await sourcesWithTags(context, baseIds, tags ?? {});
    const asked = { workspaceId, baseIds, sourceIds, query, limit: 1 };
    if ((await searchHybrid(context, { ...asked, exceptSourceId: source.id })).length > 0) continue;
    if ((await searchHybrid(context, asked)).length > 0) nodes.push(question);
  }
  return { examined: searches.size, nodes };
}

/** The newest replies that cite a source, and among the newest of the workspace those that were given it. */
async function repliesWith({ database, viewer }: Context, source: Source, limit: number): Promise<string[]> {
  const { workspaceId } = viewer;
  const rows = await database.$queryRaw<{ id: string }[]>`
    (SELECT "messageId" AS id FROM "Citation" WHERE "workspaceId" = ${workspaceId} AND "sourceId" = ${source.id}
      ORDER BY "createdAt" DESC, "id" DESC LIMIT ${limit * 3})
    UNION
    SELECT "messageId" FROM (
      SELECT "messageId", "data" FROM "MessageTrace" WHERE "workspaceId" = ${workspaceId}
      ORDER BY "messageId" DESC LIMIT ${newestReplies}
    ) AS trace WHERE "data" -> 'passages' @> ${JSON.stringify([{ sourceId: source.id }])}::jsonb`;
  return rows.map(({ id }) => id);
}

/**
 * Looks for the answers to open gaps of the agents that use a source, at most `first`, the most asked first. Returns
 * those whose last question the embedded model would now answer by quoting the source.
 */
export async function findClosedGaps(
  context: Context,
  source: Source,
  first: number | null | undefined,
): Promise<ClosedGaps> {
  const limit = firstOf(first);
  const { database, viewer } = context;
  const { workspaceId } = viewer;
  const agent = { agentBases: { some: { baseId: source.baseId } } };
  const gaps = await database.gap.findMany({
    where: limitRows('Gap', viewer, { workspaceId, state: 'open', agent }),
    orderBy: [{ rank: 'desc' }, { id: 'desc' }],
    take: limit,
    include: {
      agent: { select: { id: true, sourceTags: true } },
      questions: { orderBy: [{ askedAt: 'desc' }, { id: 'desc' }], take: 1, select: { message: true } },
    },
  });
  const nodes: Gap[] = [];
  for (const { agent, questions, ...gap } of gaps) {
    const question = questions[0]?.message.content;
    if (!question) continue;
    const { passages } = await retrievePassages(
      context,
      await retrievalScopeOf(context, agent),
      question,
      passageCount,
    );
    const found = findAnswer(question, passages, new Set());
    if (found && !found.close && found.quotes.some(({ passage }) => passage.sourceId === source.id)) nodes.push(gap);
  }
  return { examined: gaps.length, nodes };
}
