/** Text as search compares it: without case, accents or compatibility forms ("Ação" and "ACAO" are one). */
export function fold(...texts: (string | null | undefined)[]): string {
  return texts
    .filter(Boolean)
    .join(' ')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

/** Letters that Unicode takes apart into no others, as they are written where keyboards lack them. */
const written: Record<string, string> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
};

/**
 * Names and other short texts as lists are searched: folded, and in plain letters ("Łukasz Groß" is "lukasz gross"). What
 * passages hold is only folded: their indexes are large, and would have to be made anew.
 */
export const foldName = (...texts: (string | null | undefined)[]): string =>
  fold(...texts).replace(/[łøđðħŧıßæœþ]/g, (letter) => written[letter] ?? letter);

const contains = (folded: string) => ({ contains: folded.replace(/[\\%_]/g, '\\$&') });

/** A Prisma text condition "contains this text": `%`, `_` and `\` mean themselves, case and accents do not matter. */
export const containsText = (term: string): { contains: string } => contains(fold(term));

/** The same of what `foldName` has made. */
export const containsName = (term: string): { contains: string } => contains(foldName(term));
