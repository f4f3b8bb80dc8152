import { forbidden } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';

const howTo =
  "This needs a person's own token: one from the identity provider, one that the operator creates with `npm run token -- --user <email>`, or that of the browser that has opened the demo's sign-in address.";

/**
 * Returns the id of the person who authenticated with their own token, which anything that belongs to a person across
 * workspaces requires: any other bearer may be used by somebody else. Throws 403.
 */
export function requirePerson({ viewer }: { viewer: Viewer }): string {
  if (viewer.credential === 'person' && viewer.userId) return viewer.userId;
  throw forbidden(viewer.userId ? howTo : `${viewer.key ? 'A key' : 'An app'} is not a person. ${howTo}`);
}
