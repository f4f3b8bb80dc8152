import type { Context } from '../../context.ts';
import type { Tags } from '../shared/tags.ts';

/**
 * Returns the ids of the sources of these bases that have all of the tags; null, for any source, if there are no tags.
 */
export async function sourcesWithTags(
  { database, viewer }: Context,
  baseIds: string[],
  tags: Tags,
): Promise<string[] | null> {
  if (Object.keys(tags).length === 0) return null;
  const rows = await database.$queryRaw<{ id: string }[]>`
    SELECT "id" FROM "Source" WHERE "workspaceId" = ${viewer.workspaceId} AND "baseId" = ANY (${baseIds})
      AND "tags" @> ${JSON.stringify(tags)}::jsonb`;
  return rows.map(({ id }) => id);
}
