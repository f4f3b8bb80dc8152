import type { getDocumentProxy } from 'unpdf';
import { cleanText } from '../clean.ts';
import { spelledText } from './pdf-glyphs.ts';
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

type Widget = {
  subtype?: string;
  fieldType?: string;
  fieldName?: string;
  alternativeText?: string;
  fieldValue?: unknown;
  buttonValue?: string;
  exportValue?: string;
  checkBox?: boolean;
  radioButton?: boolean;
  pushButton?: boolean;
  password?: boolean;
  annotationFlags?: number;
  options?: { exportValue?: string; displayValue?: string }[];
  contentsObj?: { str?: string };
};

/** Annotation flags: Hidden and NoView. */
const unseen = 2 | 32;

/** Reads the filled-in form fields of a page, and its text notes; `empty` counts the fields that were left blank. */
function readFields(annotations: object[]): { lines: string[]; empty: number } {
  const lines: string[] = [];
  let empty = 0;
  for (const annotation of annotations as Widget[]) {
    if ((annotation.annotationFlags ?? 0) & unseen) continue;
    if (annotation.subtype === 'FreeText') lines.push(cleanText(annotation.contentsObj?.str ?? ''));
    if (annotation.subtype !== 'Widget' || annotation.pushButton || annotation.password) continue;
    const value = cleanText(valueOf(annotation));
    if (value) lines.push(`${nameOf(annotation)}: ${value}`);
    else if (/^(Tx|Ch)$/.test(annotation.fieldType ?? '')) empty++;
  }
  return { lines: [...new Set(lines)].filter((line) => line.trim()), empty };
}

function valueOf(widget: Widget): string {
  const { fieldValue, options = [] } = widget;
  if (widget.checkBox) return fieldValue && fieldValue !== 'Off' && fieldValue === widget.exportValue ? 'yes' : '';
  if (widget.radioButton) return fieldValue && fieldValue === widget.buttonValue ? String(fieldValue) : '';
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter((value) => typeof value === 'string');
  return values
    .map((value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .join(', ');
}

/** The label of a field: its alternative text, or else the last part of a name like `form.person.name`. */
const nameOf = ({ alternativeText, fieldName }: Widget): string =>
  cleanText(alternativeText || (fieldName ?? '').split('.').at(-1) || 'Field').replace(/\s*:\s*$/, '');

/** Forms that fonts use for letters: Hebrew and Arabic presentation forms, and Kangxi radicals. */
const forms = /[\ufb1d-\ufdff\ufe70-\ufefc\u2f00-\u2fd5]+/g;

/** Radicals that fonts name instead of the characters that look the same, and that Unicode does not map to them. */
const radicals = new Map(
  (
    '⺅亻⺉刂⺌小⺎兀⺒巳⺓幺⺖忄⺘扌⺙攵⺛旡⺝月⺟母⺠民⺡氵⺣灬⺦丬⺧牛⺨犭⺩王⺬示⺭礻⺮竹⺯糹⺰纟⺶羊⺹耂⺻聿⺼月⺽臼⺾艹⺿艹⻀艹⻁虎⻂衤⻃覀⻄西⻅见⻆角⻇角⻈讠⻉贝⻋车⻌辶⻍辶⻎辶' +
    '⻏阝⻐钅⻑長⻒镸⻓长⻔门⻖阝⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻟飠⻠饣⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜⻲亀⻳龟'
  )
    .match(/.{2}/gu)
    ?.map((pair): [string, string] => [pair.charAt(0), pair.charAt(1)]),
);

/** Letters instead of the forms and radicals that a font draws them with. */
const asLetters = (text: string): string =>
  text
    .replace(forms, (form) => form.normalize('NFKC'))
    .replace(/[\u2e80-\u2ef3]/g, (sign) => radicals.get(sign) ?? sign);

/** How much of a page may be characters without a meaning, and how many words make a measure. */
const maxUnknown = 0.3;
const minWords = 30;
const minLetters = 150;
const minVowels = 0.25;
const maxMixed = 0.5;

/** Whether text is not of letters, but of the numbers that a font without a map gives its signs. */
function isUndecoded(text: string): boolean {
  const letters = text.replace(/\s+/g, '');
  const unknown = letters.match(/[\p{Co}\p{Cn}\ufffd\0-\x1f\x7f-\x9f]/gu)?.length ?? 0;
  return letters.length > 0 && unknown / letters.length > maxUnknown;
}

/**
 * Whether most words of a Latin text are none: `7KH IHUU\\ OHDYHV` for `The ferry leaves`. They mix letters and signs,
 * or lack vowels, of which every language has a third.
 */
export function looksGarbled(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => word.length >= 3);
  const letters = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  const isOther = /\p{L}/u.test(text.replace(/\p{Script=Latin}/gu, ''));
  if (words.length < minWords || letters < minLetters || isOther) return false;
  const vowels = text.normalize('NFD').match(/[aeiouyæœøı]/gi)?.length ?? 0;
  const mixed = words.filter((word) => /\p{L}[^\p{L}\p{M}\s'’.,@/&:-]+\p{L}/u.test(word));
  return vowels / letters < minVowels || mixed.length / words.length > maxMixed;
}

/** Scripts whose signs are drawn in another order than they are written, or joined. */
const reordered =
  /[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const isReordered = (texts: { str: string }[]): boolean => texts.some(({ str }) => reordered.test(str));

/**
 * Whether signs of such a script stand without their letter, or in words that the file spells in a way that is not
 * read.
 */
export const hasLostSigns = (text: string, hasSpellings: boolean): boolean =>
  reordered.test(text) && (hasSpellings || /(^|[\s(])[\p{Mc}\p{Mn}]/mu.test(text));
