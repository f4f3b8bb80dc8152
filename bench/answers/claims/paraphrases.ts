import { type Fact, type Language, type Passage, pick } from './corpus.ts';
import { namesIn } from './lies.ts';

type Random = () => number;

const inWords: Record<Language, Record<string, string>> = {
  english: {
    2: 'two',
    3: 'three',
    5: 'five',
    6: 'six',
    7: 'seven',
    8: 'eight',
    10: 'ten',
    14: 'fourteen',
    21: 'twenty-one',
    24: 'twenty-four',
    30: 'thirty',
    40: 'forty',
    45: 'forty-five',
    48: 'forty-eight',
  },
  portuguese: {
    5: 'cinco',
    7: 'sete',
    10: 'dez',
    14: 'catorze',
    18: 'dezoito',
    30: 'trinta',
    40: 'quarenta',
    45: 'quarenta e cinco',
    48: 'quarenta e oito',
    50: 'cinquenta',
  },
  spanish: {
    5: 'cinco',
    7: 'siete',
    8: 'ocho',
    10: 'diez',
    14: 'catorce',
    18: 'dieciocho',
    30: 'treinta',
    40: 'cuarenta',
    45: 'cuarenta y cinco',
    48: 'cuarenta y ocho',
    50: 'cincuenta',
  },
};
const counted: Record<Language, string> = {
  english: '(?:working |business )?(?:days|hours|minutes|months|books|people|years|litres)',
  portuguese: '(?:dias|horas|minutos|meses|pessoas|anos|ajudantes)',
  spanish: '(?:días|horas|minutos|meses|personas|años|ayudantes)',
};
const monthNames: Record<Language, string[]> = {
  english: 'January February March April May June July August September October November December'.split(' '),
  portuguese: 'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(' '),
  spanish: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' '),
};
/** Words said for one another, chosen apart from those that the gateway knows. */
const swaps: Record<Language, [RegExp, string][]> = {
  english: [
    [/\bcosts\b/, 'is'],
    [/\bdelivery\b/, 'the delivery'],
    [/\bfee\b/, 'charge'],
    [/\breturned\b/, 'sent back'],
    [/\bfounded\b/, 'established'],
    [/\blasts\b/, 'takes'],
    [/\ballowed\b/, 'permitted'],
    [/\bpermitted\b/, 'allowed'],
    [/\breceive\b/, 'get'],
    [/\bevery day\b/, 'daily'],
    [/\bstarts\b/, 'begins'],
    [/\bleaves\b/, 'departs from'],
    [/\bpeople\b/, 'persons'],
    [/\bbooked\b/, 'reserved'],
    [/\barrive\b/, 'come'],
  ],
  portuguese: [
    [/\bcusta\b/, 'sai por'],
    [/\bdura\b/, 'leva'],
    [/\bpermitidos\b/, 'aceitos'],
    [/\bcomeça\b/, 'inicia'],
    [/\bsai\b/, 'parte'],
    [/\btrocadas\b/, 'substituídas'],
    [/\bcriar\b/, 'fazer'],
    [/\bentregues\b/, 'distribuídos'],
    [/\btodos os dias\b/, 'diariamente'],
    [/\bescola\b/, 'Escola'],
  ],
  spanish: [
    [/\bcuesta\b/, 'vale'],
    [/\bdura\b/, 'tarda'],
    [/\bempieza\b/, 'comienza'],
    [/\bsale\b/, 'parte'],
    [/\badmiten\b/, 'aceptan'],
    [/\bpermiten\b/, 'admiten'],
    [/\btodos los días\b/, 'a diario'],
    [/\bcambiarse\b/, 'sustituirse'],
    [/\bcoches\b/, 'automóviles'],
  ],
};
const money: [RegExp, (amount: string) => string][] = [
  [/R\$ (\d+)/, (amount) => `${amount} reais`],
  [/(?<!US|R)\$(\d+)/, (amount) => `${amount} dollars`],
  [/£(\d+)/, (amount) => `${amount} pounds`],
  [/€(\d+)|(\d+) €/, (amount) => `${amount} euros`],
];

const digitsInWords = (text: string, language: Language): string =>
  text.replace(
    new RegExp(`(?<![\\d.,:$€£])\\d+(?= ${counted[language]})`, 'gu'),
    (digits) => inWords[language][digits] ?? digits,
  );

function wordsInDigits(text: string, language: Language): string {
  const words = Object.entries(inWords[language]).sort(([, a], [, b]) => b.length - a.length);
  return words.reduce(
    (said, [digits, word]) => said.replace(new RegExp(`(?<=[\\p{L},] )${word}(?= ${counted[language]})`, 'gu'), digits),
    text,
  );
}

const otherMoney = (text: string): string =>
  money.reduce((said, [pattern, write]) => said.replace(pattern, (_, one, other) => write(one ?? other)), text);

function otherDate(text: string, language: Language, random: Random): string {
  const names = monthNames[language].join('|');
  return text.replace(
    new RegExp(`(\\d{1,2}) (?:de )?(${names})(?: (?:de )?(\\d{4}))?`, 'u'),
    (found, day: string, name: string, year?: string) => {
      const month = monthNames[language].indexOf(name) + 1;
      const iso = year && `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
      const slashed =
        year && language !== 'english' && `${day.padStart(2, '0')}/${String(month).padStart(2, '0')}/${year}`;
      const turned = language === 'english' && `${name} ${day}${year ? `, ${year}` : ''}`;
      return pick([iso, slashed, turned].filter(Boolean), random) || found;
    },
  );
}

function join(passage: Passage, fact: Fact, random: Random): string {
  const other = pick(
    passage.facts.filter((each) => each !== fact),
    random,
  );
  const [one, two] = [
    pick([fact.sentence, ...fact.paraphrases], random),
    pick([other.sentence, ...other.paraphrases], random),
  ];
  const and = { english: 'and', portuguese: 'e', spanish: 'y' }[passage.language];
  const isName = namesIn(passage.text, passage.language).some((name) => two.startsWith(name.split(' ')[0] ?? ''));
  const rest = isName ? two : two[0]?.toLowerCase() + two.slice(1);
  return `${one.replace(/\.$/, '')}, ${and} ${rest}`;
}

/**
 * Says a fact in other words: as written by hand, and with numbers, money, dates and words in another form, or joined
 * to another.
 */
export function paraphrase(passage: Passage, fact: Fact, random: Random): string {
  const { language } = passage;
  if (random() < 0.15) return join(passage, fact, random);
  let said = pick([fact.sentence, ...fact.paraphrases, ...fact.paraphrases], random);
  if (random() < 0.5) said = random() < 0.5 ? digitsInWords(said, language) : wordsInDigits(said, language);
  if (random() < 0.5) said = otherMoney(said);
  if (random() < 0.5) said = otherDate(said, language, random);
  if (random() < 0.4) {
    const known = said.includes('://') ? [] : swaps[language].filter(([pattern]) => pattern.test(said));
    const swap = known.length > 0 ? pick(known, random) : null;
    if (swap) said = said.replace(swap[0], swap[1]);
  }
  return said;
}
