import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import { descriptionOf } from '../about.ts';
import { hiddenSheetsWarning } from '../hidden-warnings.ts';
import { count } from '../ranges.ts';
import { type Grid, hiddenWarnings } from '../tables/grid.ts';
import { readGrid } from '../tables/rows.ts';
import type { Extracted } from '../types.ts';
import { propertiesIn, resolvePart } from '../xml.ts';
import { readZip } from '../zip.ts';
import { numberFormats } from './formats.ts';
import { walkXml } from './sax.ts';
import { isTrue, readSheet } from './sheet.ts';
import { sharedStrings, struckStyles } from './strings.ts';

const wanted =
  /^(docProps\/core\.xml|xl\/(_rels\/)?workbook\.xml(\.rels)?|xl\/(sharedStrings|styles)\.xml|.*sheet.*\.xml)$/i;

/**
 * Reads an Excel workbook: sections of a few rows each, with their sheet and rows, as it displays them. Hidden sheets,
 * rows and columns are left out. Throws `ExtractFailure`.
 */
export function readXlsx(bytes: Uint8Array): Extracted {
  const parts = readZip(bytes, (name) => wanted.test(name));
  const { sheets, is1904 } = workbookOf(parts);
  const shared = {
    strings: sharedStrings(partOf(parts, 'xl/sharedStrings.xml')),
    formatNumber: numberFormats(partOf(parts, 'xl/styles.xml'), is1904),
    struck: struckStyles(partOf(parts, 'xl/styles.xml')),
  };
  const shown = sheets.filter(({ isHidden }) => !isHidden);
  const grids = shown.flatMap(({ name, path }): Grid[] => {
    const xml = partOf(parts, path);
    return xml ? [{ ...readSheet(xml, shared), sheet: name }] : [];
  });
  if (shown.length === 0 && sheets.length > 0) throw new ExtractFailure('All its sheets are hidden');
  if (grids.length === 0) throw new ExtractFailure('The workbook could not be read: it is damaged');
  const hiddenNames = sheets.filter(({ isHidden }) => isHidden).map(({ name }) => name);
  const warnings = [
    ...hiddenSheetsWarning(hiddenNames),
    ...grids.flatMap(hiddenWarnings),
    ...grids.flatMap(formulasWarning),
  ];
  return {
    ...descriptionOf(propertiesIn(parts.get('docProps/core.xml'))),
    sections: grids.flatMap(readGrid),
    warnings,
  };
}

/** Programs that write workbooks leave the values of formulas to the one that opens them. */
const formulasWarning = ({ sheet, formulas = 0 }: Grid): string[] => {
  const advice = 'open the file in a spreadsheet program and save it';
  const are = formulas === 1 ? 'has no stored value and is' : 'have no stored value and are';
  return formulas > 0 ? [`${count(formulas, 'formula')} of ${sheet} ${are} not read: ${advice}`] : [];
};

type SheetEntry = { name: string; path: string; isHidden: boolean };

/** The sheets of a workbook in order; charts and macros have no cells, and so no part that is read. */
function workbookOf(parts: Map<string, string>): { sheets: SheetEntry[]; is1904: boolean } {
  const paths = new Map<string, string>();
  walkXml(partOf(parts, 'xl/_rels/workbook.xml.rels') ?? '', {
    open(name, { Id = '', Target = '' }) {
      if (name === 'Relationship') paths.set(Id, resolvePart('xl/workbook.xml', Target));
    },
  });
  const sheets: SheetEntry[] = [];
  let is1904 = false;
  walkXml(partOf(parts, 'xl/workbook.xml') ?? '', {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = isTrue(attributes.date1904);
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key === 'id' || key.endsWith(':id'))?.[1];
      sheets.push({
        name: attributes.name ?? '',
        path: paths.get(id ?? '') ?? '',
        isHidden: /^(very)?hidden$/i.test(attributes.state ?? ''),
      });
    },
  });
  return { sheets, is1904 };
}

/** A part by its path, whose case some programs change. */
const partOf = (parts: Map<string, string>, path: string): string | undefined =>
  parts.get(path) ?? [...parts].find(([name]) => name.toLowerCase() === path.toLowerCase())?.[1];
