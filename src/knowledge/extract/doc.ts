import WordExtractor from 'word-extractor';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import type { Section } from '../../search/types.ts';
import { cleanText } from './clean.ts';
import { createOutline } from './outline.ts';
import { type TableRow, tableLines } from './tables/table-lines.ts';
import type { Extracted } from './types.ts';

/** The first bytes of a document's stream: its type, and the version of Word 97 or newer. */
const header = { magic: 0xa5ec, versions: [0xc0, 0x112], sector: 512 } as const;
const encrypted = 0x0100;

/**
 * Reads a document of Word 97 to 2003, whose headings cannot be distinguished from text. Rejects with
 * `ExtractFailure`.
 */
export async function readDoc(bytes: Uint8Array): Promise<Extracted> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isLocked(buffer)) throw new ExtractFailure('The file is locked with a password');
  try {
    const document = await new WordExtractor().extract(buffer);
    const asWritten = { filterUnicode: false };
    const bodies = [
      document.getBody(asWritten),
      document.getTextboxes({ ...asWritten, includeHeadersAndFooters: false }),
      document.getFootnotes(asWritten),
      document.getEndnotes(asWritten),
    ];
    return { sections: bodies.flatMap(sectionsOf) };
  } catch (error) {
    throw new ExtractFailure('The Word document could not be read: it is damaged, or older than Word 97', {
      cause: error,
    });
  }
}

/** Whether the document's header says that it is encrypted; streams start at sectors. */
function isLocked(file: Buffer): boolean {
  const [oldest, newest] = header.versions;
  for (let at = header.sector; at + 12 <= file.length; at += header.sector) {
    if (file.readUInt16LE(at) !== header.magic) continue;
    const version = file.readUInt16LE(at + 2);
    if (version >= oldest && version <= newest) return (file.readUInt16LE(at + 10) & encrypted) !== 0;
  }
  return false;
}

/** Lines that end with a tab are rows of a table, with a tab after each cell. */
function sectionsOf(text: string): Section[] {
  const outline = createOutline();
  let rows: TableRow[] = [];
  const endTable = () => {
    for (const row of tableLines(rows)) outline.block(row, true);
    rows = [];
  };
  for (const line of cleanLines(text)) {
    const cells = line.split('\t');
    if (line.endsWith('\t') && cells.length > 2) {
      const texts = cells.slice(0, -1).map((cell) => cell.trim());
      rows.push({ cells: texts.map((cell, column) => ({ text: cell, column, span: 1 })), isHeader: false });
    } else {
      endTable();
      outline.block(line);
    }
  }
  endTable();
  return outline.end();
}

// Cleaning removes the spaces at the end of a line.
const cleanLines = (text: string): string[] =>
  text.split('\n').map((line) => cleanText(line) + (line.endsWith('\t') ? '\t' : ''));
