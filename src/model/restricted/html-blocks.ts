import { unitsOf } from './units.ts';

const blocks = 'p|li|td|th|h[1-6]|dt|dd|blockquote|pre|caption';
/** A block that contains no other block. */
const innermost = new RegExp(
  `<(${blocks})\\b[^<>]*>(?:(?!</?(?:${blocks}|ul|ol|dl|table|tr|div|section|article)\\b)[\\s\\S])*</\\1>`,
  'gi',
);
const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

/** Returns what replaces a sentence: itself, other words, or nothing; null if it is withheld. */
type Replace = (sentence: string) => string | null;

/**
 * Removes the blocks of HTML that contain a withheld sentence, and the text between blocks if it does. A block with a
 * sentence that is replaced becomes plain text.
 */
export function filterBlocks(html: string, replace: Replace): string {
  const kept = html.replace(innermost, (block: string, name: string) => replacedHtml(block, name, replace) ?? block);
  const around = replacedHtml(html.replace(innermost, ''), 'p', replace);
  return around === null ? kept : [...(kept.match(innermost) ?? []), around].filter(Boolean).join('\n');
}

/** HTML with its sentences replaced; null if none was. */
function replacedHtml(html: string, name: string, replace: Replace): string | null {
  const sentences = unitsOf(textOf(html), true).filter((sentence) => sentence.trim());
  const parts = sentences.map(replace);
  if (parts.every((part, at) => part === sentences[at])) return null;
  if (parts.includes(null)) return '';
  const text = parts.filter(Boolean).join(' ');
  return text && `<${name}>${escaped(text)}</${name}>`;
}

/** A link is judged as well as its words. */
const hrefOf = (tag: string): string => ` ${/\bhref\s*=\s*["']?([^"'\s>]+)/i.exec(tag)?.[1] ?? ''} `;

const textOf = (html: string): string =>
  html.replace(/<[^<>]*>/g, hrefOf).replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? character);
