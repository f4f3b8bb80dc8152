import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';

/** A module for browsers from its TypeScript: without types, and with imports of the served names. */
export async function browserModule(source: URL): Promise<string> {
  return stripTypeScriptTypes(await readFile(source, 'utf8')).replaceAll(/(from '\.{1,2}\/[\w/-]+)\.ts'/g, "$1.js'");
}
