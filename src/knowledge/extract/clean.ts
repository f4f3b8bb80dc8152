import { shorten } from '../../text/shorten.ts';

/**
 * Normalizes text for storage and display: valid Unicode, line feeds only, no control characters, no runs of blank
 * lines and no trailing spaces. Indentation is kept: it matters in code and lists.
 */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replace(/\r\n?|[\u0085\u2028\u2029\f\v]/g, '\n')
    .replace(/[^\P{C}\n\t\u200c\u200d]/gu, '')
    .replace(/[\u00a0\u2007\u202f]/g, ' ')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
}

/** Cleans text and joins it to one line, truncated to `limit` characters; undefined if nothing is left. */
export function cleanLine(text: string | null | undefined, limit = Number.POSITIVE_INFINITY): string | undefined {
  const line = cleanText(text ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return shorten(line, limit) || undefined;
}
