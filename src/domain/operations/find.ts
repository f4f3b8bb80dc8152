import type { Context } from '../../context.ts';
import { forbidden, notFound } from '../../core/errors.ts';
import { may } from '../../core/permissions.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { SavedOperation } from '../../database/generated/prisma/client.ts';

type Searcher = Pick<Context, 'database' | 'viewer'>;

/**
 * Finds the saved operation with a name, or with the document of this hash (`sha256:…`). Null if there is none. Throws
 * 403 `forbidden` for a key that may run only others.
 */
export async function findOperation(
  { database, viewer }: Searcher,
  documentId: string,
): Promise<SavedOperation | null> {
  const hash = /^sha256:([0-9a-f]{64})$/i.exec(documentId)?.[1]?.toLowerCase();
  if (!hash) {
    requireMayRun(viewer, documentId);
    // No other text is a name, and some cannot even be looked for.
    if (!/^[a-z][a-z0-9-]{0,99}$/.test(documentId)) return null;
    return database.savedOperation.findFirst({ where: { workspaceId: viewer.workspaceId, name: documentId } });
  }
  const same = await database.savedOperation.findMany({
    where: { workspaceId: viewer.workspaceId, documentHash: hash },
    orderBy: { name: 'asc' },
    take: 100,
  });
  const found = same.find(({ name }) => mayRun(viewer, name)) ?? same[0];
  if (found) requireMayRun(viewer, found.name);
  return found ?? null;
}

/** The same. Throws 404 `not_found` if there is none. */
export async function requireOperation(context: Searcher, documentId: string): Promise<SavedOperation> {
  return (await findOperation(context, documentId)) ?? throwing(notFound('SavedOperation'));
}

const throwing = (error: Error): never => {
  throw error;
};

/**
 * The saved operations that a bearer may see because it may run them, in the order of their names: at most
 * `take` after the name `after`. A key that is limited to some needs no scope to see those.
 */
export async function runnableOperations(
  { database, viewer }: Searcher,
  { after = '', take }: { after?: string | undefined; take: number },
): Promise<SavedOperation[]> {
  const { workspaceId, key } = viewer;
  const named = key?.operations ?? [];
  if (named.length === 0 && !may(viewer, 'operations.read')) return [];
  const name = { gt: after, ...(named.length > 0 && { in: [...named] }) };
  return database.savedOperation.findMany({ where: { workspaceId, name }, orderBy: { name: 'asc' }, take });
}

/** Whether a bearer may run a saved operation: all but keys that are limited to others. */
const mayRun = ({ key }: Viewer, name: string): boolean =>
  !key || key.operations.length === 0 || key.operations.includes(name);

function requireMayRun(viewer: Viewer, name: string): void {
  if (mayRun(viewer, name)) return;
  throw forbidden(`This key may run only these saved operations: ${viewer.key?.operations.join(', ')}.`);
}
