import type { Services } from './services.ts';

/** In which roles bearers act on the graph and REST. */
export type BearerRole = 'owner' | 'admin' | 'editor' | 'viewer' | 'app';
/** A visitor speaks through a widget, whose endpoints alone know it. */
export type Role = BearerRole | 'visitor';

/** Who asks, and in which workspace. An app that authenticates with its secret has no user and the role `app`. */
export type Viewer = {
  workspaceId: string;
  role: Role;
  userId: string | null;
  membershipId: string | null;
  appId: string | null;
  /** Of a visitor: the only conversations that it speaks in are its own ones of this channel. */
  visitor?: { id: string; channelId: string };
};

/** What every resolver and domain operation is given. */
export type Context = Services & { viewer: Viewer };

/** The id that `createdBy` and `updatedBy` record: the user's, or the app's when no user stands behind the request. */
export function actorOf(viewer: Viewer): string {
  return viewer.userId ?? viewer.appId ?? viewer.workspaceId;
}
