import type { Transaction } from '../database/client.ts';
import type { Names } from './analysis.ts';

type Queries = Pick<Transaction, '$queryRaw'>;

/** Returns the context of sources' passages, by source id. */
export async function readNames(
  queries: Queries,
  { workspaceId, baseId }: { workspaceId: string; baseId: string },
  sourceIds: string[],
): Promise<Map<string, Names>> {
  const rows = await queries.$queryRaw<({ id: string } & Names)[]>`
    SELECT source."id", source."title", base."description" AS base FROM "Source" AS source
    JOIN "Base" AS base ON base."workspaceId" = ${workspaceId} AND base."id" = source."baseId"
    WHERE source."workspaceId" = ${workspaceId} AND source."baseId" = ${baseId}
      AND source."id" = ANY (${[...new Set(sourceIds)]})`;
  return new Map(rows.map(({ id, ...names }) => [id, names]));
}
