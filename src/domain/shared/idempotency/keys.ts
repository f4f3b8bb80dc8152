import { createHash } from 'node:crypto';
import { ParleyError } from '../../../core/errors.ts';
import { inKeyOrder } from '../../../core/json.ts';
import type { Viewer } from '../../../core/viewer.ts';

/** How long a key and its turn are kept, in milliseconds. */
export const retentionMs = 24 * 60 * 60 * 1000;

type Owner = Pick<Viewer, 'workspaceId'> & Partial<Pick<Viewer, 'userId' | 'key' | 'appId' | 'visitor' | 'invitee'>>;

/**
 * The owner of the viewer's idempotency keys: a user, an API key, an app, a user through an app, or a visitor. It stays
 * the same when a token is replaced.
 */
export function nameOf({ workspaceId, userId, key, appId, visitor, invitee }: Owner): string {
  if (workspaceId === '' && invitee) return nameOfInvitee(invitee);
  const visiting = visitor && `${visitor.channelId}/${visitor.id}`;
  return [workspaceId, userId ?? key?.id, appId, visiting].map((id) => id ?? '').join('|');
}

/**
 * All owners that the viewer's keys may have: also from before they accepted an invitation, and from older versions.
 */
const namesOf = (viewer: Viewer): string[] => [
  nameOf(viewer),
  ...(viewer.invitee ? [nameOfInvitee(viewer.invitee)] : []),
  ...(viewer.workspaceId ? [viewer.workspaceId] : []),
];

/** The rows of the viewer's keys: also of workspace '', where an invitee who belongs to no workspace has theirs. */
export const keysOf = (viewer: Viewer) => ({
  workspaceId: { in: [...new Set([viewer.workspaceId, ...(viewer.invitee ? [''] : [])])] },
  caller: { in: namesOf(viewer) },
});

/** Hashed, so that the email address is not stored in readable form. */
const nameOfInvitee = (invitee: NonNullable<Viewer['invitee']>): string => `invited|${fingerprintOf(invitee)}`;

/** 422: a key belongs to one request. */
export const reused = (): ParleyError =>
  new ParleyError(
    'idempotency_key_reused',
    'This Idempotency-Key was already used with a different request. Use a new key.',
  );

/** 409: the first request with this key is still running. */
export const inProgress = (): ParleyError =>
  new ParleyError(
    'request_in_progress',
    'The request with this Idempotency-Key is still in progress: send it again in 2 seconds.',
    {
      headers: { 'retry-after': '2' },
    },
  );

/**
 * Returns a hash that is the same for equal requests, in whatever order their objects have their keys. `asWritten`: in
 * the same order only.
 */
export const fingerprintOf = (request: unknown, asWritten = false): string =>
  createHash('sha256')
    .update(JSON.stringify(request, asWritten ? undefined : inKeyOrder))
    .digest('hex');
