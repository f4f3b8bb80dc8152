/** The pages of a site: those of one host whose path is this or below it. */
export type Scope = { origin: string; path: string };

/** The site that an address means: its folder. `/docs/` and `/docs/index.html` mean `/docs/`, `/docs` also means `/docs`. */
export function scopeOf(address: string): Scope {
  const { origin, pathname } = new URL(address);
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  return { origin, path: last.includes('.') ? pathname.slice(0, -last.length) : pathname };
}

/** Whether an address is a page of a site. */
export function inScope(address: string, { origin, path }: Scope): boolean {
  const url = URL.parse(address);
  if (!url || url.origin !== origin) return false;
  return url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}
