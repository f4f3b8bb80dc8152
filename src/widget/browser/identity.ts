/** Where a signed token of the page's own user comes from; null forgets the user. */
export type IdentitySource = string | (() => string | Promise<string>) | null;

/** A page's function that takes longer has failed: other calls wait for it, as one that signs the user out. */
const maxWaitMs = 15_000;

/** Throws what the page's function throws, and if it returns nothing in time. */
export async function tokenOf(source: IdentitySource): Promise<string | null> {
  if (typeof source !== 'function') return source;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const fault = new Error(`the function of the page has returned no token for ${maxWaitMs / 1_000} seconds`);
    timer = setTimeout(() => reject(fault), maxWaitMs);
  });
  try {
    return await Promise.race([source(), late]);
  } finally {
    clearTimeout(timer);
  }
}

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
