import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { lazy } from '../core/lazy.ts';

/** The bundled file of each entry, and the hash of each source and `package.json`, by paths from the root. */
type Bundle = { entries: Record<string, string>; sources: Record<string, string> };

const root = new URL('../../', import.meta.url);
const folder = new URL('generated/', import.meta.url);

/** What `npm run generate` bundled; null if there is none, or if a source or a package was changed since. */
export function readBundle(list = new URL('bundle.json', folder), sources = root): Bundle | null {
  try {
    const bundle = JSON.parse(readFileSync(list, 'utf8')) as Bundle;
    const isCurrent = ([name, hash]: [string, string]) => hashOf(new URL(name, sources)) === hash;
    return Object.entries(bundle.sources).every(isCurrent) ? bundle : null;
  } catch {
    return null;
  }
}

const hashOf = (file: URL): string => createHash('sha256').update(readFileSync(file)).digest('base64');

const bundleHere = lazy(() => readBundle());

/** The bundle of a module that a reader runs, or the module itself, which Node takes several times as long to load. */
export function bundled(module: URL): URL {
  const file = module.href.startsWith(root.href) && bundleHere()?.entries[module.href.slice(root.href.length)];
  return file ? new URL(file, folder) : module;
}
