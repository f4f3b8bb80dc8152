import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';

const maps = new Map<string, SourceMap | null>();

/** Read when first needed: most processes never print a stack trace. */
function mapOf(file: string): SourceMap | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const map = readMap(file);
  maps.set(file, map);
  return map;
}

function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
  } catch {
    return null;
  }
}

const inBundle = /(file:\/\/\S*\/bundle\/generated\/[\w-]+\/[\w.-]+\.js):(\d+):(\d+)/g;

/** Replaces each place in a file of a bundle, as in a stack trace, by the place in its source. */
export const inSources = (text: string): string =>
  text.replaceAll(
    inBundle,
    (place, file: string, line: string, column: string) => positionOf(file, Number(line), Number(column)) ?? place,
  );

/** The place in a source of one in a file of a bundle; null if there is no map, or nothing in it. */
export function positionOf(file: string, line: number, column: number): string | null {
  const found: Partial<SourceMapping> = mapOf(file)?.findEntry(line - 1, column - 1) ?? {};
  const { originalSource, originalLine = 0, originalColumn = 0 } = found;
  if (originalSource === undefined) return null;
  return `${new URL(originalSource, file).href}:${originalLine + 1}:${originalColumn + 1}`;
}
