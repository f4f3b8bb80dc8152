import type { ReplyFormat } from '../types.ts';

/** A line of a reply; `cite` holds the number of the passage that it quotes, and the quoted words. */
export type Line = { text: string; cite?: { number: number; words: string } };

/** Renders lines in the requested format, with the marks that citeReferences reads. */
export function writeAnswer(lines: Line[], format: ReplyFormat): string {
  if (format === 'json') {
    const references = [...new Set(lines.flatMap(({ cite }) => (cite ? [cite.number] : [])))];
    return JSON.stringify({ answer: lines.map(({ text }) => text).join('\n'), references });
  }
  if (format === 'html') return lines.map((line) => `<p>${escapeHtml(line.text)}${markOf(line)}</p>`).join('\n');
  return lines.map((line) => `${line.text}${markOf(line)}`).join('\n\n');
}

/** A mark must not contain quotation marks or brackets: the longest piece without any is enough to verify the quote. */
function markOf({ cite }: Line): string {
  if (!cite) return '';
  const pieces = cite.words.split(/["“”«»„\]\n]/).map((piece) => piece.trim().slice(0, 300));
  const words = pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '');
  return words ? ` [${cite.number} "${words}"]` : ` [${cite.number}]`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeHtml = (text: string): string => text.replace(/[&<>]/g, (character) => entities[character] ?? character);
