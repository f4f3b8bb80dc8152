/** Where a signed token of the page's own user comes from; null forgets the user. */
export type IdentitySource = string | (() => string | Promise<string>) | null;

export const tokenOf = async (source: IdentitySource): Promise<string | null> =>
  typeof source === 'function' ? source() : source;

/** The user that a token names, which the gateway verifies. */
export function userOf(token: string): string {
  try {
    const [, payload = ''] = token.split('.');
    const { sub, user_id } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return String(sub ?? user_id);
  } catch {
    return token;
  }
}

/** A user whom the page names and who cannot be let in. */
export const reportIdentity = (error: Error): null => {
  console.error(`Parley: the visitor is not identified: ${error.message}`);
  return null;
};
