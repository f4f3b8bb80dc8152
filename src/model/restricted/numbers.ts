const number = /\d+(?:[.,]\d+)*/g;

/** The numbers that a text states, however they are written: `1.000,00` and `1000` are one. List items' own are not. */
export const numbersOf = (text: string): string[] =>
  (text.replace(/^\s*\d{1,3}[.)]\s/gm, '').match(number) ?? []).map(plain);

/** The same of a source, with what they may be rounded to. */
export const knownNumbers = (text: string): string[] =>
  (text.match(number) ?? []).flatMap((written) => [plain(written), ...roundings(written)]);

/** Digits alone, without leading zeros and a fraction of nothing. */
const plain = (written: string): string =>
  written
    .replace(/[.,]0{1,2}$/, '')
    .replace(/[.,]/g, '')
    .replace(/^0+(?=\d)/, '');

function roundings(written: string): string[] {
  const [, whole = '', fraction = ''] = /^(.*)[.,](\d{1,2}|\d{4,})$/.exec(written) ?? [];
  if (!fraction) return [];
  const down = plain(whole);
  return [down, String(Number(down) + 1)];
}
