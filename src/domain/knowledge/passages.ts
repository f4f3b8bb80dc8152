import { z } from 'zod';
import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { type HybridHit, searchHybrid } from '../../search/hybrid.ts';
import { parseInput } from '../shared/input.ts';
import { tagsInput } from '../shared/tags.ts';
import { sourcesWithTags } from './source-tags.ts';

export type { HybridHit } from '../../search/hybrid.ts';
export type { Highlight } from '../../search/retrieve.ts';

const maxPassages = 100;
const amount = `must be between 0 and ${maxPassages}`;
const firstPassages = z
  .int()
  .min(0, amount)
  .max(maxPassages, amount)
  .nullish()
  .transform((first) => first ?? 10);
const searchInput = z.object({
  query: z.string().max(10_000),
  baseIds: z.array(z.string()).max(100, 'must name at most 100 bases').nullish(),
  tags: tagsInput.nullish(),
  first: firstPassages,
});
/** The validated number of passages to return. Throws 400 `invalid_request`. */
export const firstInput = (first: number | null | undefined): number =>
  parseInput(z.object({ first: firstPassages }), { first }).first;
type PassageQuery = { query: string; baseIds?: string[] | null; tags?: unknown; first?: number | null };

/**
 * Returns what an agent with these bases would find for a question, best first; without `baseIds`, in all bases of the
 * workspace. Throws 400, and 404 `not_found` if one of the bases does not exist.
 */
export async function findPassages(context: Context, input: PassageQuery): Promise<HybridHit[]> {
  permit(context, 'bases.read');
  const { query, baseIds, tags, first } = parseInput(searchInput, input as z.input<typeof searchInput>);
  const { database, viewer } = context;
  const { workspaceId } = viewer;
  const named = baseIds && [...new Set(baseIds)];
  const where = { workspaceId, ...(named && { id: { in: named } }) };
  const bases = await database.base.findMany({ where, select: { id: true } });
  if (named && bases.length < named.length) throw notFound('Base');
  const searched = bases.map(({ id }) => id);
  const sourceIds = await sourcesWithTags(context, searched, tags ?? {});
  return searchHybrid(context, { workspaceId, baseIds: searched, sourceIds, query, limit: first });
}
