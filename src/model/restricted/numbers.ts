const number = /\d+(?:[.,]\d+)*/g;

/** The numbers in a text, normalized: `1.000,00` and `1000` are the same. The numbers of list items are skipped. */
export const numbersOf = (text: string): string[] =>
  (text.replace(/^\s*\d{1,3}[.)]\s/gm, '').match(number) ?? []).map(plain);

/** The numbers in a source, along with what they may be rounded to. */
export const numberForms = (text: string): string[] =>
  (text.match(number) ?? []).flatMap((written) => [plain(written), ...roundings(written)]);

/** The digits only, without leading zeros or a zero fraction. */
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
