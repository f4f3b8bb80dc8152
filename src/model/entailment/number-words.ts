/** Number words in English, Portuguese and Spanish, folded. */
const lists: [start: number, step: number, words: string][] = [
  [0, 1, 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'],
  [17, 1, 'seventeen eighteen nineteen'],
  [20, 10, 'twenty thirty forty fifty sixty seventy eighty ninety'],
  [
    1,
    1,
    'um dois tres quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito',
  ],
  [1, 1, 'uma duas'],
  [14, 5, 'quatorze dezenove'],
  [16, 1, 'dezasseis dezassete'],
  [20, 10, 'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem'],
  [100, 100, 'cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos'],
  [200, 100, 'duzentas trezentas quatrocentas quinhentas seiscentas setecentas oitocentas novecentas'],
  [
    0,
    1,
    'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete',
  ],
  [18, 1, 'dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete'],
  [28, 1, 'veintiocho veintinueve treinta'],
  [1, 20, 'un veintiun'],
  [1, 20, 'una veintiuna'],
  [40, 10, 'cuarenta cincuenta sesenta setenta ochenta noventa cien'],
  [100, 100, 'ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos'],
  [200, 100, 'doscientas trescientas cuatrocientas quinientas seiscientas setecientas ochocientas novecientas'],
  [12, 0, 'dozen duzia docena'],
];
const values = new Map(
  lists.flatMap(([start, step, words]) => words.split(' ').map((word, index) => [word, start + step * index] as const)),
);
const scales = new Map(
  Object.entries({
    hundred: 100,
    thousand: 1_000,
    mil: 1_000,
    k: 1_000,
    million: 1e6,
    milhao: 1e6,
    milhoes: 1e6,
    millon: 1e6,
    millones: 1e6,
  }),
);
/**
 * Words that are numbers only where something counted follows: "um" is also an article, Portuguese "dos" means "of
 * the".
 */
const doubtful = new Set(['one', 'um', 'uma', 'uno', 'un', 'una', 'dos', 'once', 'k']);

export const isDoubtfulNumber = (word: string): boolean => doubtful.has(word);

/** The value of a number as written in digits: `1.000,50` and `1,000.50` are 1000.5. */
export function valueOf(written: string): number {
  const last = Math.max(written.lastIndexOf('.'), written.lastIndexOf(','));
  if (last < 0) return Number(written);
  const separators = new Set(written.replace(/\d/g, ''));
  const [whole, fraction] = [written.slice(0, last).replace(/[.,]/g, ''), written.slice(last + 1)];
  const isGrouped = separators.size === 1 && /^\d{1,3}(?:[.,]\d{3})+$/.test(written) && !/^0[.,]/.test(written);
  return isGrouped ? Number(whole + fraction) : Number(`${whole}.${fraction}`);
}

/** A number that begins at an index of a list of folded words, and how many of them it takes. */
type NumberAt = { value: number; length: number };

/** Reads a number in words, such as "two hundred and fifty" or "trinta e um"; `first`: its leading part in digits. */
export function numberAt(words: (string | undefined)[], start: number, first?: number): NumberAt | null {
  let [total, current, at, last] = [0, first ?? 0, start, first === undefined ? Number.POSITIVE_INFINITY : 1];
  let isAny = first !== undefined;
  for (;;) {
    const joined = isAny && /^(?:and|e|y|-)$/.test(words[at] ?? '') ? 1 : 0;
    const word = words[at + joined] ?? '';
    const value = first === undefined ? values.get(word) : undefined;
    const scale = scales.get(word);
    if (value !== undefined && fits(value, last) && !(joined && last === Number.POSITIVE_INFINITY)) {
      current += value;
      last = value;
    } else if (scale !== undefined && !joined && (isAny || word === 'mil')) {
      if (scale === 100) current = Math.max(1, current) * 100;
      else [total, current] = [total + Math.max(1, current) * scale, 0];
      last = scale;
    } else break;
    isAny = true;
    at += joined + 1;
  }
  return at > start ? { value: total + current, length: at - start } : null;
}

/** Whether a number word can go on with another: twenty-five, but not five-twenty. */
const fits = (value: number, last: number): boolean =>
  last === Number.POSITIVE_INFINITY ||
  (last >= 1_000 && value < 1_000) ||
  (last >= 100 && value < 100) ||
  (last >= 20 && last < 100 && value > 0 && value < 10);
