import { forbidden } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';

const howTo =
  "This takes the person's own token: one of the outside issuer, or one that the operator makes by `npm run token -- --user <email>`.";

/**
 * The id of the person who asks by a token of their own. What belongs to a person in every workspace takes one: the
 * holder of any other bearer may be somebody else. Throws 403.
 */
export function requirePerson({ viewer }: { viewer: Viewer }): string {
  if (viewer.credential === 'person' && viewer.userId) return viewer.userId;
  throw forbidden(viewer.userId ? howTo : `${viewer.key ? 'A key' : 'An app'} is no person. ${howTo}`);
}
