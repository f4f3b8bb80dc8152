import readWorkbook from 'read-excel-file/universal';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { descriptionOf } from './about.ts';
import { withPercentages } from './percentages.ts';
import { readGrid } from './rows.ts';
import type { Extracted } from './types.ts';
import { coreProperties } from './xml.ts';
import { readZip, withXmlOnly } from './zip.ts';

/** Reads an Excel workbook: sections of a few rows each, with their sheet and rows. Rejects with `ExtractFailure`. */
export async function readXlsx(bytes: Uint8Array): Promise<Extracted> {
  const core = readZip(bytes, (name) => name === 'docProps/core.xml').get('docProps/core.xml');
  try {
    const sheets = await readWorkbook(withXmlOnly(bytes, withPercentages).buffer);
    const sections = sheets.flatMap(({ sheet, data }) =>
      readGrid({ sheet, rows: data.map((row) => row.map(cellText)) }),
    );
    return { ...descriptionOf(coreProperties(core)), sections };
  } catch (error) {
    if (error instanceof ExtractFailure) throw error;
    throw new ExtractFailure('The workbook could not be read: it is damaged', { cause: error });
  }
}

function cellText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (!(value instanceof Date)) return String(value);
  // Excel counts days from the end of 1899: a date on day zero is a time of day.
  const [day = '', time = ''] = new Date(Math.round(value.getTime() / 1_000) * 1_000).toISOString().split('T');
  if (day <= '1899-12-31') return time.slice(0, 5);
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)}`;
}
