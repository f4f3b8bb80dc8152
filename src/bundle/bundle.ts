import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

/**
 * What was bundled, by paths from the root: the bundled file of each entry, the hash of each source and `package.json`,
 * and all files of the bundle.
 */
export type Bundle = { entries: Record<string, string>; sources: Record<string, string>; files: string[] };

const root = new URL('../../', import.meta.url);
const folderOf = (name: string) => new URL(`generated/${name}/`, import.meta.url);

/** What `npm run generate` bundled; null if it is not whole, or if a source or a package was changed since. */
export function readBundle(folder: URL, sources = root): Bundle | null {
  try {
    const bundle = JSON.parse(readFileSync(new URL('bundle.json', folder), 'utf8')) as Bundle;
    const isCurrent = ([name, known]: [string, string]) =>
      hash('sha256', readFileSync(new URL(name, sources)), 'base64') === known;
    const isWhole = bundle.files.every((file) => existsSync(new URL(file, folder)));
    return isWhole && Object.entries(bundle.sources).every(isCurrent) ? bundle : null;
  } catch {
    return null;
  }
}

/**
 * Returns a function that tells the bundled file of a module, or the module itself, which Node takes several times as
 * long to load, where it is not bundled as it is now.
 */
export function openBundle(name: 'gateway' | 'readers'): (module: URL) => URL {
  const folder = folderOf(name);
  const entries = readBundle(folder)?.entries ?? {};
  return (module) => {
    const file = module.href.startsWith(root.href) && entries[module.href.slice(root.href.length)];
    return file ? new URL(file, folder) : module;
  };
}
