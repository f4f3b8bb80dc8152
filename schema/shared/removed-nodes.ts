import type { GraphQLResolveInfo } from 'graphql';

export type GlobalId = { typename: string; id: string };

/**
 * Extensions of a type whose removed rows are no nodes, although others still refer to them: the column that is set
 * then. It is no condition of `findUnique`, by which Pothos also reads a row again that another one's field returned.
 */
export const removedSince = (column: string) => ({ parleyRemoved: column });

/** What `node` returns for the row with an id. */
export function shownNode<Row>({ schema }: GraphQLResolveInfo, { typename }: GlobalId, row: Row): Row | null {
  const column = schema.getType(typename)?.extensions.parleyRemoved;
  return row && typeof column === 'string' && row[column as keyof Row] ? null : row;
}
