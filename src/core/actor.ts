import type { Viewer } from './viewer.ts';

/** Kinds of actors in the audit log. `operator`: the machine's commands; `system`: the gateway by itself. */
type ActorKind = 'member' | 'key' | 'app' | 'operator' | 'invitee' | 'visitor' | 'system';

/**
 * Who changes something, and the address of the request, if known. `onBehalfOfId`: the user that a minted token was
 * created for; the actor is then its maker.
 */
export type Actor = { kind: ActorKind; id: string | null; address: string | null; onBehalfOfId?: string | null };

/** The actor behind a viewer. */
export function auditActorOf(viewer: Viewer, address: string | null): Actor {
  const { userId, appId, key, credential, maker, visitor } = viewer;
  if (visitor) return { kind: 'visitor', id: null, address };
  if (key) return { kind: 'key', id: key.id, address };
  if (maker) return { ...maker, address, onBehalfOfId: userId };
  if (credential === 'operator') return { kind: 'operator', id: userId, address };
  if (userId) return { kind: 'member', id: userId, address };
  return appId ? { kind: 'app', id: appId, address } : { kind: 'invitee', id: null, address };
}
