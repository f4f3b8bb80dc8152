/** Text that has no accents or compatibility forms: most of it, which is read in a fraction of the time. */
const isAscii = (text: string): boolean => !/[^\t\n\r -~]/.test(text);

/** Folds texts for comparison, without case, accents or compatibility forms: "Ação" and "ACAO" are equal. */
export function fold(...texts: (string | null | undefined)[]): string {
  const text = texts.filter(Boolean).join(' ');
  const plain = isAscii(text) ? text : text.normalize('NFKD').replace(/\p{M}+/gu, '');
  return plain.toLowerCase();
}

/** Letters that Unicode does not decompose, as they are commonly transliterated. */
const replacements: Record<string, string> = {
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
 * Folds names and other short texts that lists search, also transliterating letters ("Łukasz Groß" becomes "lukasz
 * gross"). Passages are only folded: their indexes are large and would have to be rebuilt.
 */
export const foldName = (...texts: (string | null | undefined)[]): string =>
  fold(...texts).replace(/[łøđðħŧıßæœþ]/g, (letter) => replacements[letter] ?? letter);

const contains = (folded: string) => ({ contains: folded.replace(/[\\%_]/g, '\\$&') });

/** Returns a Prisma `contains` condition on a folded column; `%`, `_` and `\` in the term are literal. */
export const containsText = (term: string): { contains: string } => contains(fold(term));

/** Like `containsText`, for columns folded by `foldName`. */
export const containsName = (term: string): { contains: string } => contains(foldName(term));
