import papaparse from 'papaparse';
import { cleanText } from '../clean.ts';
import type { Extracted } from '../types.ts';
import { readGrid } from './rows.ts';

const delimitersToGuess = [',', ';', '\t', '|'];
const sampleRows = 20;

/** The line that names the delimiter for Excel; it is no row. */
const declared = /^\ufeff?"?sep=(.)"?\r?\n/i;

/**
 * Reads text as a table, if it is one: at least three rows, of which the first ones all have the same number of
 * columns, at least two. If declared as CSV (`isDeclaredCsv`), two rows suffice. Returns null for anything else.
 */
export function readCsv(source: string, isDeclaredCsv: boolean): Extracted | null {
  const delimiter = declared.exec(source)?.[1];
  const text = source.replace(declared, '');
  const { data: sample, meta } = papaparse.parse<string[]>(text.slice(0, 100_000), {
    ...(delimiter ? { delimiter } : { delimitersToGuess }),
    preview: sampleRows,
    skipEmptyLines: 'greedy',
  });
  const width = sample[0]?.length ?? 0;
  const isTable = isDeclaredCsv || delimiter !== undefined;
  if (width < 2 || sample.length < (isTable ? 2 : 3)) return null;
  // A table of Markdown starts its lines with a pipe.
  if (!isTable && meta.delimiter === '|' && sample.some(([first]) => !first?.trim())) return null;
  // Prose has a space after a comma, a table has none.
  const prose = sample.flat().filter((cell) => /^ \S/.test(cell)).length * 4 > sample.length;
  if (!isTable && (prose || sample.some((row) => row.length !== width))) return null;
  const { data } = papaparse.parse<string[]>(cleanText(text), { delimiter: meta.delimiter });
  return { sections: readGrid({ rows: data }) };
}

/** The rows of a table that is part of a text. */
export const readDelimited = (text: string, delimiter: string): string[][] =>
  papaparse.parse<string[]>(text, { delimiter, skipEmptyLines: 'greedy' }).data;
