import { fold } from '../../text/fold.ts';

/** A piece of a sentence. `folded`: without case and accents; `glued`: no space before it. */
export type Lexeme = {
  kind: 'word' | 'number' | 'date' | 'time' | 'link' | 'symbol' | 'stop';
  raw: string;
  folded: string;
  glued: boolean;
};

const domains =
  'com|org|net|io|app|dev|info|shop|store|biz|edu|gov|br|pt|es|mx|ar|co|cl|pe|uk|us|eu|de|fr|it|test|example';
const patterns: [Lexeme['kind'], string][] = [
  ['link', `(?:https?:\\/\\/|www\\.)[^\\s<>"“”'’()\\[\\]]*[^\\s<>"“”'’()\\[\\].,;:!?]`],
  ['link', `[\\p{L}\\p{N}._%+-]{1,64}@[\\p{L}\\p{N}.-]{1,200}`],
  [
    'link',
    `(?<![\\p{L}\\p{N}.@-])(?:[a-z0-9][a-z0-9-]{0,62}\\.){1,4}(?:${domains})(?![\\p{L}\\p{N}])(?:\\/[^\\s<>"“”'’()\\[\\]]*)?`,
  ],
  [
    'date',
    `(?<![\\d.,/-])(?:\\d{4}-\\d{1,2}-\\d{1,2}|\\d{1,2}/\\d{1,2}/\\d{2,4}|\\d{1,2}\\.\\d{1,2}\\.\\d{4}|\\d{1,2}-\\d{1,2}-\\d{4}|\\d{1,2}/\\d{1,2})(?![\\d/])`,
  ],
  ['time', `(?<![\\d.,:])\\d{1,2}(?:(?::|h)\\d{2}(?!\\d)(?:\\s?[ap]\\.?m\\b\\.?)?|\\s?[ap]\\.?m\\b\\.?)`],
  ['symbol', `(?:R|US|MX)?\\$|[€£¥%]|°[CF]?|[-–—&]`],
  ['number', `\\d+(?:[.,]\\d+)*`],
  ['word', `[\\p{L}][\\p{L}\\p{M}\\p{N}]*(?:['’\`´][\\p{L}]+)*`],
  ['stop', `[.,;:!?…()\\n。，！？；]`],
];
/** What folding leaves as it is. */
const isPlain = /^[a-z0-9.,]+$/;
const pattern = new RegExp(patterns.map(([, source]) => `(${source})`).join('|'), 'giu');

/** Splits a text into words, numbers, links and punctuation. */
export function lexemesOf(text: string): Lexeme[] {
  let end = -1;
  return [...text.matchAll(pattern)].map((found) => {
    const raw = found[0];
    const kind = patterns[found.slice(1).findIndex((part) => part !== undefined)]?.[0] ?? 'word';
    const glued = found.index === end;
    end = found.index + raw.length;
    return { kind, raw, folded: isPlain.test(raw) ? raw : fold(raw).replace(/[’`´]/g, "'"), glued };
  });
}

/** A link or an e-mail address as it is compared: without scheme, `www.`, and what ends the sentence. */
export const linkOf = (raw: string): string =>
  raw
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/[.,;:!?/*_]+$/, '');

/** Minutes since midnight of `9:30`, `9h30`, `9 pm`. */
export function minutesOf(raw: string): number {
  const [, hours = '0', minutes = '0', half] = /^(\d{1,2})(?:[:hH](\d{2}))?\s?(?:([apAP])\.?[mM])?/.exec(raw) ?? [];
  const hour = half ? (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hours);
  return hour * 60 + Number(minutes);
}
