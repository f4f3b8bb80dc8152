import type { Transaction } from '../database/client.ts';
import type { Names } from './analysis.ts';

/** Adds their context to passages of a base. `title`: of their source, if not the current one. */
export async function withNames<Passage extends { sourceId: string }>(
  queries: Pick<Transaction, '$queryRaw'>,
  { workspaceId, baseId }: { workspaceId: string; baseId: string },
  passages: Passage[],
  title?: string | null,
): Promise<(Passage & { names?: Names })[]> {
  const rows = await queries.$queryRaw<({ id: string } & Names)[]>`
    SELECT source."id", source."title", base."description" AS base FROM "Source" AS source
    JOIN "Base" AS base ON base."workspaceId" = ${workspaceId} AND base."id" = source."baseId"
    WHERE source."workspaceId" = ${workspaceId} AND source."baseId" = ${baseId}
      AND source."id" = ANY (${[...new Set(passages.map(({ sourceId }) => sourceId))]})`;
  const named = rows.map(({ id, ...names }) => [id, title === undefined ? names : { ...names, title }] as const);
  const names = new Map<string, Names>(named);
  return passages.map((passage) => ({ ...passage, names: names.get(passage.sourceId) }));
}
