import type { getDocumentProxy } from 'unpdf';
import { cleanText } from '../clean.ts';
import { readFields } from './pdf-fields.ts';

export type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;
export type PdfPage = { lines: string[]; fields: string[]; emptyFields: number };

/** Reads the lines of a page as drawn, its filled-in form fields, and its notes. */
export async function readPdfPage(pdf: Pdf, number: number): Promise<PdfPage> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  const { lines: fields, empty } = readFields(await page.getAnnotations());
  page.cleanup();
  const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
  return { lines: cleanText(text).split('\n'), fields, emptyFields: empty };
}

/** Undoes line wrapping: joins lines that run to the page's edge or continue in lower case, and hyphenated words. */
export function unwrap(lines: string[]): string {
  const full = lines.reduce((max, { length }) => Math.max(max, length), 0) * 0.75;
  return lines.reduce((joined, line, index) => {
    const previous = lines[index - 1] ?? '';
    if (!previous || !line) return `${joined}\n${line}`;
    if (/\p{Ll}-$/u.test(previous) && /^\p{Ll}/u.test(line)) return joined.slice(0, -1) + line;
    const goesOn = /^\p{Ll}/u.test(line) || (previous.length >= full && !/^\s*([-•*–]|\d+[.)])/.test(line));
    return joined + (goesOn ? ' ' : '\n') + line;
  }, '');
}
