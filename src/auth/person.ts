import { forbidden } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';

const howTo =
  'This is for a person who has signed in as themselves: with the identity provider, with a token that the operator makes for their email address (npm run token -- --user), or, in the demo, by the address that npm run open prints.';

/**
 * Returns the id of the person who authenticated with their own token, which anything that belongs to a person across
 * workspaces requires: any other bearer may be used by somebody else. Throws 403.
 */
export function requirePerson({ viewer }: { viewer: Viewer }): string {
  if (viewer.credential === 'person' && viewer.userId) return viewer.userId;
  throw forbidden(viewer.userId ? howTo : `${viewer.key ? 'A key' : 'An app'} is not a person. ${howTo}`);
}
