import DataLoader from 'dataloader';
import type { Context } from '../../context.ts';
import { memoize } from '../../core/lazy.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { App, Key, User } from '../../database/generated/prisma/client.ts';
import { kindOfId } from '../../database/ids.ts';

type Actor = User | App | Key;

/** Selects members by an id, or by `{in: ids}`. */
export const memberById = (id: unknown, { workspaceId }: Viewer) => ({ id, memberships: { some: { workspaceId } } });
/** Selects apps by an id, or by `{in: ids}`. */
export const appById = (id: unknown, { workspaceId }: Viewer) => ({ workspaceId, id });
/** Selects keys by an id, or by `{in: ids}`. */
export const keyById = appById;

/** One loader per request: the actors of any number of rows take three queries at most. */
const loaderOf = memoize((context: Context) => new DataLoader<string, Actor | null>((ids) => readActors(context, ids)));

/**
 * Returns the member, app or key behind a `createdBy` or `updatedBy`; null if it no longer exists. There is no foreign
 * key, since the id may belong to any of them.
 */
export function findActor(context: Context, id: string): Promise<Actor | null> {
  return loaderOf(context).load(id);
}

async function readActors({ database, viewer }: Context, ids: readonly string[]): Promise<(Actor | null)[]> {
  const among = (ids: readonly string[], rows: typeof memberById) => rows({ in: [...ids] }, viewer) as never;
  const users = await database.user.findMany({ where: among(ids, memberById) });
  const unknownIds = ids.filter((id) => !users.some((user) => user.id === id));
  const [keyIds, appIds] = [unknownIds.filter(isKeyId), unknownIds.filter((id) => !isKeyId(id))];
  const apps = appIds.length > 0 ? await database.app.findMany({ where: among(appIds, appById as never) }) : [];
  const keys = keyIds.length > 0 ? await database.key.findMany({ where: among(keyIds, keyById as never) }) : [];
  const actorById = new Map<string, Actor>([...users, ...apps, ...keys].map((actor) => [actor.id, actor]));
  return ids.map((id) => actorById.get(id) ?? null);
}

const isKeyId = (id: string): boolean => kindOfId(id) === 'key';
