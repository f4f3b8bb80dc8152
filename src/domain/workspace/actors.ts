import DataLoader from 'dataloader';
import type { Context } from '../../context.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { App, User } from '../../database/generated/prisma/client.ts';

type Actor = User | App;

/** A member by the id, or by `{in: ids}`. */
export const memberById = (id: unknown, { workspaceId }: Viewer) => ({ id, memberships: { some: { workspaceId } } });
/** An app by the id, or by `{in: ids}`. */
export const appById = (id: unknown, { workspaceId }: Viewer) => ({ workspaceId, id });

/** One loader a request: rows that ask for their actors are answered by two statements, however many they are. */
const loaders = new WeakMap<Context, DataLoader<string, Actor | null>>();

/**
 * Who stands behind a `createdBy` or `updatedBy`: a member of the workspace or one of its apps; null when neither is
 * there any more. No foreign key can say this, since the id may be of either.
 */
export function findActor(context: Context, id: string): Promise<Actor | null> {
  const loader = loaders.get(context) ?? new DataLoader<string, Actor | null>((ids) => readActors(context, ids));
  loaders.set(context, loader);
  return loader.load(id);
}

async function readActors({ database, viewer }: Context, ids: readonly string[]): Promise<(Actor | null)[]> {
  const among = (ids: readonly string[], rows: typeof memberById) => rows({ in: [...ids] }, viewer) as never;
  const users = await database.user.findMany({ where: among(ids, memberById) });
  const missing = ids.filter((one) => !users.some((user) => user.id === one));
  const apps = missing.length > 0 ? await database.app.findMany({ where: among(missing, appById as never) }) : [];
  const known = new Map<string, Actor>([...users, ...apps].map((actor) => [actor.id, actor]));
  return ids.map((one) => known.get(one) ?? null);
}
