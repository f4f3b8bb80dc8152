import type { Context } from '../../src/context.ts';
import type { Prisma } from '../../src/database/generated/prisma/client.ts';
import { limitOf } from '../../src/database/query/row-limits.ts';

/**
 * The `findUnique` of a type whose rows belong to a workspace: the row with an id, in the viewer's workspace and
 * within the limits of its key.
 */
export const rowById =
  (model: Prisma.ModelName) =>
  (id: string, { viewer }: Context) => ({
    workspaceId_id: { workspaceId: viewer.workspaceId, id },
    AND: limitOf(model, viewer),
  });
