import type { getDocumentProxy } from 'unpdf';
import { cleanText } from '../clean.ts';
import { readFields } from './pdf-fields.ts';
import { spelledText } from './pdf-glyphs.ts';
import { asLetters, hasLostSigns, isReordered, isUndecoded, looksGarbled } from './pdf-letters.ts';
import { linesOfItems } from './pdf-lines.ts';
import type { PdfObjects } from './pdf-objects.ts';
import { markedIn } from './pdf-spellings.ts';

export type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;
type Page = Awaited<ReturnType<Pdf['getPage']>>;
export type PdfPage = {
  lines: string[];
  fields: string[];
  emptyFields: number;
  /** What its text may suffer from: no letters at all, words that are none, signs that were lost. */
  damage?: 'undecoded' | 'garbled' | 'lostSigns' | undefined;
};

/**
 * Reads the lines of a page in the order of a reader, its filled-in form fields, and its notes. `objects` are opened
 * for a page that spells words apart from how it draws them.
 */
export async function readPdfPage(pdf: Pdf, number: number, objects: () => Promise<PdfObjects>): Promise<PdfPage> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent({ includeMarkedContent: true });
  const { lines: fields, empty } = readFields(await page.getAnnotations());
  const drawn = items.flatMap((item) => ('str' in item ? [item] : []));
  // A span without a number has a spelling of its own, which pdf.js does not tell.
  const marks = items.filter((item) => !('str' in item)) as { tag?: string; id?: string | null }[];
  const hasSpellings = marks.some(({ tag, id }) => tag === 'Span' && !id);
  // If that cannot be found out of a page, it is read as it is drawn.
  const spellings = isReordered(drawn) ? await spellingsOf(page, objects, hasSpellings).catch(() => null) : null;
  page.cleanup();
  const texts = spellings ?? drawn;
  const text = asLetters(linesOfItems(texts).join('\n'));
  const isUnread = isUndecoded(texts.map(({ str }) => str).join(''));
  const damage = isUnread
    ? 'undecoded'
    : looksGarbled(text)
      ? 'garbled'
      : hasLostSigns(text, hasSpellings && !spellings)
        ? 'lostSigns'
        : undefined;
  return { lines: isUnread ? [] : cleanText(text).split('\n'), fields, emptyFields: empty, damage };
}

/** The text of a page as it is spelled; null if that cannot be known. */
async function spellingsOf(page: Page, objects: () => Promise<PdfObjects>, hasSpellings: boolean) {
  if (!hasSpellings) return spelledText(await page.getOperatorList(), null);
  const { num } = (page as unknown as { ref: { num: number } }).ref;
  const content = (await objects()).contentsOf(num);
  return content === null ? null : spelledText(await page.getOperatorList(), markedIn(content));
}

/** The words with a hyphen within a line: one at the end of a line belongs to such a word if it is among them. */
export const compoundsIn = (pages: string[][]): Set<string> =>
  new Set(pages.flat().flatMap((line) => wordsOf(line.toLowerCase()).filter((word) => word.includes('-'))));

const wordsOf = (line: string): string[] => line.match(/\p{L}+(?:-\p{L}+)*/gu) ?? [];

/** Scripts that have no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff01-\uff60]/u;

/** Undoes line wrapping: joins lines that run to the page's edge or continue in lower case, and hyphenated words. */
export function unwrap(lines: string[], compounds: Set<string>): string {
  const full = lines.reduce((max, { length }) => Math.max(max, length), 0) * 0.75;
  // A line with what separates it from the next: joining them one by one would copy the page with each.
  return lines
    .map((line, index) => {
      const next = lines[index + 1];
      if (next === undefined) return line;
      if (!next || !line) return `${line}\n`;
      if (/\p{Ll}-$/u.test(line) && /^\p{Ll}/u.test(next))
        return isCompound(line, next, compounds) ? line : line.slice(0, -1);
      const goesOn = /^\p{Ll}/u.test(next) || (line.length >= full && !/^\s*([-•*–]|\d+[.)])/.test(next));
      const isSpaced = !(unspaced.test(line.at(-1) ?? '') && unspaced.test(next.charAt(0)));
      return line + (goesOn ? (isSpaced ? ' ' : '') : '\n');
    })
    .join('');
}

/** Whether the hyphen at the end of a line is one of the word: it has it elsewhere too, or is a day in Portuguese. */
function isCompound(previous: string, line: string, compounds: Set<string>): boolean {
  const [start = ''] = /[\p{L}-]+-$/u.exec(previous.slice(-100).toLowerCase()) ?? [];
  const [end = ''] = /^[\p{L}-]+/u.exec(line.slice(0, 100).toLowerCase()) ?? [];
  return compounds.has(start + end) || (/^feiras?$/.test(end) && /^(segunda|terça|quarta|quinta|sexta)-$/.test(start));
}
