/** What a quantity is measured in: amounts of one `dimension` are compared in its base unit. */
export type Unit = { dimension: string; factor: number };

const table: [dimension: string, factor: number, words: string][] = [
  ['time', 1, 'second seconds sec secs segundo segundos s'],
  ['time', 60, 'minute minutes min mins minuto minutos'],
  ['time', 3_600, 'hour hours hr hrs hora horas h'],
  ['time', 86_400, 'day days dia dias'],
  ['time', 604_800, 'week weeks semana semanas'],
  ['months', 1, 'month months mes meses'],
  ['months', 12, 'year years ano anos yr yrs'],
  ['percent', 1, '% percent percentage'],
  ['length', 1, 'mm millimetre millimetres millimeter millimeters milimetro milimetros'],
  ['length', 10, 'cm centimetre centimetres centimeter centimeters centimetro centimetros'],
  ['length', 1_000, 'm metre metres meter meters metro metros'],
  ['length', 1_000_000, 'km kilometre kilometres kilometer kilometers quilometro quilometros kilometro kilometros'],
  ['length', 1_609_344, 'mile miles milha milhas milla millas'],
  ['length', 304.8, 'ft foot feet pes pies'],
  ['length', 25.4, 'inch inches polegada polegadas pulgada pulgadas'],
  ['mass', 1, 'g gram grams gramme grammes grama gramas gramo gramos'],
  ['mass', 1_000, 'kg kilo kilos kilogram kilograms quilo quilos quilograma quilogramas kilogramo kilogramos'],
  ['mass', 1_000_000, 'ton tons tonne tonnes tonelada toneladas'],
  ['mass', 453.592, 'lb lbs'],
  ['volume', 1, 'ml millilitre millilitres milliliter milliliters mililitro mililitros'],
  ['volume', 1_000, 'l litre litres liter liters litro litros'],
  ['volume', 3_785, 'gallon gallons galao galoes galon galones'],
  ['data', 0.001, 'byte bytes'],
  ['data', 1, 'kb kilobyte kilobytes'],
  ['data', 1.024, 'kib'],
  ['data', 1_048.576, 'mib'],
  ['data', 1_073_741.824, 'gib'],
  ['data', 1_099_511_627.776, 'tib'],
  ['data', 1_000, 'mb megabyte megabytes'],
  ['data', 1_000_000, 'gb gigabyte gigabytes'],
  ['data', 1_000_000_000, 'tb terabyte terabytes'],
  ['degrees', 1, '° degree degrees grau graus grado grados'],
  ['celsius', 1, '°c celsius'],
  ['fahrenheit', 1, '°f fahrenheit'],
  ['power', 1, 'w watt watts'],
  ['power', 1_000, 'kw kilowatt kilowatts quilowatt quilowatts kilovatio kilovatios'],
  ['eur', 1, '€ eur euro euros'],
  ['usd', 1, 'us$ usd dollar dollars dolar dolares'],
  ['brl', 1, 'r$ brl real reais reales'],
  ['gbp', 1, '£ gbp pound pounds libra libras'],
  ['peso', 1, 'mxn ars clp cop mx$ peso pesos'],
  ['yen', 1, '¥ jpy yen iene ienes yenes'],
  ['dollar sign', 1, '$'],
  ['cent', 1, 'cent cents centavo centavos centimo centimos'],
];
const units = new Map(
  table.flatMap(([dimension, factor, words]) => words.split(' ').map((word) => [word, { dimension, factor }] as const)),
);
/** Days on which people work are another unit than days. */
const working = /^(?:working|business|work|weekdays?|uteis|util|habiles|habil|laborables|laborable|laborais)$/;

export const unitOf = (word: string): Unit | null => units.get(word) ?? null;

/** Whether a word beside "days" makes them working days. */
export const isWorking = (word: string | undefined): boolean => working.test(word ?? '');
/** Words that may stand between a number and its unit. */
export const isBetweenUnit = (word: string | undefined): boolean =>
  isWorking(word) ||
  /^(?:calendar|full|whole|consecutive|more|further|additional|other|last|us|american)$/.test(word ?? '');

export const workingDay: Unit = { dimension: 'working time', factor: 86_400 };
export const isDays = (unit: Unit | null): boolean => unit?.dimension === 'time' && unit.factor === 86_400;

/** A dollar sign alone is used for dollars and for pesos, and degrees are of either scale. */
const open = new Map([
  ['dollar sign', /^(?:usd|peso)$/],
  ['degrees', /^(?:celsius|fahrenheit)$/],
]);
const agree = (one: string, other: string): boolean =>
  one === other || (open.get(one)?.test(other) ?? open.get(other)?.test(one) ?? false);

/** Whether two amounts are the same: `12 months` and `1 year` are. */
export const isSameAmount = (one: number, unit: Unit, other: number, of: Unit): boolean =>
  agree(unit.dimension, of.dimension) &&
  Math.abs(one * unit.factor - other * of.factor) <= 1e-6 * Math.abs(one * unit.factor);
