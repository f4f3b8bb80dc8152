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
type Reading = { pattern: RegExp; kinds: Lexeme['kind'][] };
const readingOf = (some: typeof patterns): Reading => ({
  pattern: new RegExp(some.map(([, source]) => `(${source})`).join('|'), 'giu'),
  kinds: some.map(([kind]) => kind),
});
/** Links are looked for at every letter, which takes longest; few texts have what each of them has. */
const mayLink = /@|:\/\/|www\.|[a-z0-9-]\.[a-z]/iu;
const [withLinks, withoutLinks] = [readingOf(patterns), readingOf(patterns.filter(([kind]) => kind !== 'link'))];

/** Splits a text into words, numbers, links and punctuation. */
export function lexemesOf(text: string): Lexeme[] {
  const { pattern, kinds } = mayLink.test(text) ? withLinks : withoutLinks;
  let end = -1;
  return [...text.matchAll(pattern)].map((found) => {
    const raw = found[0];
    const kind = kinds[found.findIndex((part, group) => group > 0 && part !== undefined) - 1] ?? 'word';
    const glued = found.index === end;
    end = found.index + raw.length;
    return { kind, raw, folded: isPlain.test(raw) ? raw : fold(raw).replace(/[’`´]/g, "'"), glued };
  });
}

/** The links and e-mail addresses in a text, as they are compared. */
export const linksIn = (text: string): string[] =>
  mayLink.test(text) ? lexemesOf(text).flatMap(({ kind, raw }) => (kind === 'link' ? [linkOf(raw)] : [])) : [];

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
