/** A site: the pages of one origin at a path or below it. */
export type Scope = { origin: string; path: string };

/**
 * The site that a URL stands for, i.e. its folder: `/docs/` and `/docs/index.html` give `/docs/`; `/docs` includes
 * `/docs` itself.
 */
export function scopeOf(address: string): Scope {
  const { origin, pathname } = new URL(address);
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  return { origin, path: last.includes('.') ? pathname.slice(0, -last.length) : pathname };
}

/** Whether a URL belongs to a site. */
export function inScope(address: string, { origin, path }: Scope): boolean {
  const url = URL.parse(address);
  if (!url || url.origin !== origin) return false;
  return url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}
