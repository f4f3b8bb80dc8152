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
export const asLetters = (text: string): string =>
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
export function isUndecoded(text: string): boolean {
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

export const isReordered = (texts: { str: string }[]): boolean => texts.some(({ str }) => reordered.test(str));

/**
 * Whether signs of such a script stand without their letter, or in words that the file spells in a way that is not
 * read.
 */
export const hasLostSigns = (text: string, hasSpellings: boolean): boolean =>
  reordered.test(text) && (hasSpellings || /(^|[\s(])[\p{Mc}\p{Mn}]/mu.test(text));
