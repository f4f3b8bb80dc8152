import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';

/**
 * A module for browsers from its TypeScript: without types, and with imports of the served names. Panels are served
 * with what they use of `src/text` in a folder beside them.
 */
export async function browserModule(source: URL): Promise<string> {
  return stripTypeScriptTypes(await readFile(source, 'utf8'))
    .replaceAll(/(from '(?:\.\.\/)*)\.\.\/\.\.\/\.\.\/text\//g, '$1./text/')
    .replaceAll(/(from '\.{1,2}\/[\w./-]+)\.ts'/g, "$1.js'");
}
