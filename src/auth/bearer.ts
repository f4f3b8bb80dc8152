import { unauthorized } from '../core/errors.ts';

/** Issuers put the groups of a person into tokens. */
const MAX_LENGTH = 16_384;

/** The message for a token with any defect but its age: a forger learns nothing from it. */
export const invalidBearer =
  "The bearer token is not valid: send a complete access token issued for this service, or an app's secret.";

/** Returns a request's bearer. Throws 401 `unauthorized`, with `WWW-Authenticate`, if it is missing or malformed. */
export function bearerOf(request: { headers: { get(name: string): string | null } }): string {
  const header = request.headers.get('authorization');
  if (!header)
    throw unauthorized('A bearer token is required: send the header "Authorization: Bearer <access token>".');
  if (header.length > MAX_LENGTH)
    throw unauthorized('The Authorization header is longer than 16 KB: get a token with fewer claims.');
  const match = /^bearer +([\w.~+/-]+=*)$/i.exec(header);
  if (!match?.[1]) {
    throw unauthorized('The Authorization header is malformed: it must be "Bearer", a space, and one access token.');
  }
  return match[1];
}
