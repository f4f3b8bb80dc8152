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

/** Removes the blocks of HTML that contain a rejected sentence, and the text between blocks if it does. */
export function filterBlocks(html: string, isBacked: (sentence: string) => boolean): string {
  const kept = html.replace(innermost, (block) => (passes(block, isBacked) ? block : ''));
  const around = html.replace(innermost, '');
  return passes(around, isBacked) ? kept : (kept.match(innermost) ?? []).join('\n');
}

const passes = (html: string, isBacked: (sentence: string) => boolean): boolean =>
  unitsOf(textOf(html), true)
    .map((sentence) => !sentence.trim() || isBacked(sentence))
    .every(Boolean);

/** A link is judged as well as its words. */
const hrefOf = (tag: string): string => ` ${/\bhref\s*=\s*["']?([^"'\s>]+)/i.exec(tag)?.[1] ?? ''} `;

const textOf = (html: string): string =>
  html.replace(/<[^<>]*>/g, hrefOf).replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);
