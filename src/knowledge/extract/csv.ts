import papaparse from 'papaparse';
import { cleanText } from './clean.ts';
import { readGrid } from './rows.ts';
import type { Extracted } from './types.ts';

const delimitersToGuess = [',', ';', '\t'];
const sampleRows = 20;

/**
 * Reads text as a table, if it is one: at least three rows, of which the first ones all have the same number of
 * columns, at least two. If declared as CSV (`isDeclaredCsv`), two rows suffice. Returns null for anything else.
 */
export function readCsv(text: string, isDeclaredCsv: boolean): Extracted | null {
  const { data: sample, meta } = papaparse.parse<string[]>(text.slice(0, 100_000), {
    delimitersToGuess,
    preview: sampleRows,
    skipEmptyLines: 'greedy',
  });
  const width = sample[0]?.length ?? 0;
  if (width < 2 || sample.length < (isDeclaredCsv ? 2 : 3)) return null;
  // Prose has a space after a comma, a table has none.
  const prose = sample.flat().filter((cell) => /^ \S/.test(cell)).length * 4 > sample.length;
  if (!isDeclaredCsv && (prose || sample.some((row) => row.length !== width))) return null;
  const { data } = papaparse.parse<string[]>(cleanText(text), { delimiter: meta.delimiter });
  return { sections: readGrid({ rows: data }) };
}
