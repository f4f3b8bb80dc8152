const maxCookies = 50;
const maxLength = 4_096;

/**
 * The cookies of one request's redirects: some servers redirect to the same page until it is asked for with the cookie
 * that they set. Each goes back only to the origin that set it, and none outlives the request.
 */
export function createCookies() {
  const origins = new Map<string, Map<string, string>>();
  return {
    /** Keeps the cookies that a response from `url` sets, or deletes them. */
    keep({ origin }: URL, headers: string[]): void {
      const kept = origins.get(origin) ?? new Map<string, string>();
      origins.set(origin, kept);
      for (const header of headers) {
        const [, name = '', value = ''] = /^\s*([^=;\s]+)\s*=\s*([^;]*)/.exec(header.slice(0, maxLength)) ?? [];
        if (/;\s*max-age\s*=\s*(0|-\d+)\s*(;|$)/i.test(header)) kept.delete(name);
        else if (name && (kept.size < maxCookies || kept.has(name))) kept.set(name, value.trim());
      }
    },
    /** The `Cookie` header of a request to `url`; empty if there are none. */
    of({ origin }: URL): { cookie?: string } {
      const pairs = [...(origins.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`);
      return pairs.length > 0 ? { cookie: pairs.join('; ') } : {};
    },
  };
}
