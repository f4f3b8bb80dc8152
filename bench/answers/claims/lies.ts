import { type Language, type Passage, pick } from './corpus.ts';

export const kinds = ['number', 'unit', 'name', 'negation', 'date', 'link', 'appended'] as const;
export type LieKind = (typeof kinds)[number];

type Random = () => number;
type Liar = (sentence: string, passage: Passage, random: Random) => string | null;

const numberWords: Record<Language, string[]> = {
  english: 'two three four five six seven eight nine ten twelve fourteen thirty forty fifty'.split(' '),
  portuguese: 'dois três quatro cinco seis sete oito nove dez doze catorze trinta quarenta cinquenta'.split(' '),
  spanish: 'dos tres cuatro cinco seis siete ocho nueve diez doce catorce treinta cuarenta cincuenta'.split(' '),
};
const links = /(?:https?:\/\/)?[\w.@-]+\.example[\w/]*/;
const months: Record<Language, string[]> = {
  english: [
    'January',
    'February',
    'April',
    'July',
    'August',
    'November',
    'March',
    'May',
    'June',
    'September',
    'October',
  ],
  portuguese: ['janeiro', 'fevereiro', 'março', 'maio', 'julho', 'novembro', 'abril', 'junho', 'outubro'],
  spanish: ['enero', 'febrero', 'marzo', 'mayo', 'julio', 'noviembre', 'abril', 'junio', 'octubre'],
};
const days: Record<Language, string[]> = {
  english: ['Mondays', 'Tuesdays', 'Thursdays', 'Fridays', 'Sundays'],
  portuguese: ['segundas-feiras', 'terças-feiras', 'quintas-feiras', 'sábados', 'domingos'],
  spanish: ['lunes', 'martes', 'jueves', 'sábados', 'domingos'],
};
const strangers: Record<Language, string[]> = {
  english: ['Clara Whitlow', 'Martin Okafor', 'Dover', 'Riverton', 'Premium', 'Amanda', 'Northgate'],
  portuguese: ['Clara Vidal', 'Martim Bastos', 'Ouro', 'Recife', 'Amanda', 'Solar', 'Vila Rica'],
  spanish: ['Clara Vidal', 'Martín Bastos', 'Oro', 'Toledo', 'Amanda', 'Solar', 'Villa Rica'],
};
const claims: Record<Language, string[]> = {
  english: [
    'and shipping is free',
    'and we ship to Mars',
    ', and the second one is half price',
    ', with a lifetime guarantee',
    'and parking is included',
    ', which was voted the best in the country',
    'and our staff speaks Japanese',
    '; students pay nothing',
    ', and you also get a free towel',
    'because the owner is a doctor',
    ', even on public holidays',
    'and you will receive a discount of 20%',
    ', but only with a passport',
  ],
  portuguese: [
    'e o frete é grátis',
    'e entregamos em Marte',
    ', e o segundo sai pela metade do preço',
    ', com garantia vitalícia',
    'e o estacionamento está incluído',
    ', eleito o melhor do país',
    'e a nossa equipe fala japonês',
    '; estudantes ganham uma camiseta',
    ', e você também ganha uma toalha',
    'porque o dono é médico',
    ', inclusive nos feriados',
    'e você recebe um desconto de 20%',
    ', mas somente com passaporte',
  ],
  spanish: [
    'y el envío es gratis',
    'y enviamos a Marte',
    ', y el segundo sale a mitad de precio',
    ', con garantía de por vida',
    'y el aparcamiento está incluido',
    ', elegido el mejor del país',
    'y nuestro equipo habla japonés',
    '; los estudiantes reciben una camiseta',
    ', y además recibe una toalla',
    'porque el dueño es médico',
    ', incluso en los festivos',
    'y recibe un descuento del 20 %',
    ', pero solo con pasaporte',
  ],
};
/** Words that take a negation, and where it goes. */
const verbs: Record<Language, RegExp> = {
  english: /\b(is|are|was|were|can|may|must|should|cannot|can't|isn't)\b(?! not)/,
  portuguese:
    /(?<!não |\p{L})(é|são|está|foi|pode|podem|deve|devem|custa|dura|leva|serve|abre|fecha|ensina|cuida|desenhou|chega|sai|tem|há|abriu|começa|ficam|paga|parte)(?![\p{L}])/iu,
  spanish:
    /(?<!no |\p{L})(es|son|está|están|fue|puede|pueden|debe|deben|cuesta|dura|tarda|llega|sale|tiene|hay|abrió|empieza|comienza|enseña|trata|diseñó|cierra|paga|parte|se sirve|se hacen|se entregan|se reservan)(?![\p{L}])/iu,
};

const capitals = /(?<=[\p{L},] )\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)*/gu;

export const namesIn = (text: string, language: Language): string[] =>
  [...text.matchAll(capitals)]
    .map(([name]) => name)
    .filter((name) => !months[language].includes(name) && !days[language].includes(name));

const replaced = (sentence: string, found: RegExpExecArray, by: string): string =>
  sentence.slice(0, found.index) + by + sentence.slice(found.index + found[0].length);

const unlike = (list: string[], one: string, random: Random): string =>
  pick(
    list.filter((other) => other.toLowerCase() !== one.toLowerCase()),
    random,
  );

const units: Record<Language, string[][]> = {
  english: [
    ['days', 'weeks', 'months', 'hours', 'minutes'],
    ['litres', 'gallons'],
    ['euros', 'dollars', 'pounds'],
    ['GB', 'MB', 'TB'],
    ['watts', 'kilowatts'],
  ],
  portuguese: [
    ['dias', 'semanas', 'meses', 'horas', 'minutos'],
    ['reais', 'euros', 'dólares'],
    ['GB', 'MB', 'TB'],
    ['watts', 'quilowatts'],
  ],
  spanish: [
    ['días', 'semanas', 'meses', 'horas', 'minutos'],
    ['euros', 'dólares', 'pesos'],
    ['GB', 'MB', 'TB'],
  ],
};
const symbols = ['€', 'R$', 'US$', '£'];

const liars: Record<LieKind, Liar> = {
  number(sentence, { language }, random) {
    const plain = sentence.replace(links, (link) => '_'.repeat(link.length));
    const words = numberWords[language];
    const found =
      /\d+(?:[.,]\d+)?/.exec(plain) ?? new RegExp(`(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})`, 'iu').exec(plain);
    if (!found) return null;
    const value = Number(found[0].replace(',', '.'));
    if (Number.isNaN(value)) return replaced(sentence, found, unlike(words, found[0], random));
    const other = pick([value + 1, value * 2, value + 10, value * 10, Math.max(1, Math.round(value / 2) + 3)], random);
    return other === value
      ? null
      : replaced(sentence, found, String(other).replace('.', found[0].includes(',') ? ',' : '.'));
  },
  unit(sentence, { language }, random) {
    for (const list of units[language]) {
      const found = new RegExp(`(?<![\\p{L}])(?:${list.join('|')})(?![\\p{L}])`, 'u').exec(sentence);
      if (found) return replaced(sentence, found, unlike(list, found[0], random));
    }
    const symbol = /US\$|R\$|[€£$]/.exec(sentence);
    return symbol
      ? replaced(sentence, symbol, unlike(symbol[0] === '$' ? ['€', 'R$', '£'] : symbols, symbol[0], random))
      : null;
  },
  name(sentence, passage, random) {
    const [name] = namesIn(sentence, passage.language);
    if (!name) return null;
    const others = namesIn(passage.text, passage.language).filter(
      (other) => !other.includes(name) && !name.includes(other) && !sentence.includes(other),
    );
    const other =
      others.length > 0 && random() < 0.5 ? pick(others, random) : unlike(strangers[passage.language], name, random);
    return sentence.replace(name, other);
  },
  negation(sentence, { language }) {
    const removed =
      language === 'english'
        ? sentence
            .replace(/\bcannot\b/, 'can')
            .replace(/\b(can|is|are)n't\b|\bcan't\b/, (found) => found.slice(0, found.startsWith("can't") ? 3 : -3))
            .replace(/ not\b/, '')
            .replace(/\b[Nn]ever\b/, 'Always')
            .replace(/\bno /, 'a ')
            .replace(/\bwithout\b/, 'with')
        : sentence
            .replace(language === 'portuguese' ? /\bnão /iu : /\bno /iu, '')
            .replace(language === 'portuguese' ? /\bsem\b/ : /\bsin\b/, language === 'portuguese' ? 'com' : 'con');
    if (removed !== sentence) return removed[0]?.toUpperCase() + removed.slice(1);
    const found = verbs[language].exec(sentence);
    if (!found) return null;
    return replaced(
      sentence,
      found,
      language === 'english'
        ? `${found[0]} not`
        : `${language === 'portuguese' ? 'não' : 'no'} ${found[0].toLowerCase()}`,
    );
  },
  date(sentence, { language }, random) {
    const list = [...months[language], ...days[language]];
    const found = new RegExp(`(?<![\\p{L}])(?:${list.join('|')})(?![\\p{L}])`, 'iu').exec(sentence);
    if (found)
      return replaced(
        sentence,
        found,
        unlike(months[language].includes(found[0]) ? months[language] : days[language], found[0], random),
      );
    const time = /(\d{1,2})(?=[:h]\d{2})/.exec(sentence) ?? /(?<!\d)(?:19|20)\d\d(?!\d)/.exec(sentence);
    return time ? replaced(sentence, time, String(Number(time[0]) + 1 + Math.floor(random() * 2))) : null;
  },
  link(sentence, { language }, random) {
    const [host, path, box] = [
      pick(['fastpay', 'official-help', 'shop24'], random),
      pick(['login', 'offer', 'pay'], random),
      pick(['boss', 'win', 'desk'], random),
    ];
    const found = links.exec(sentence);
    if (found)
      return replaced(
        sentence,
        found,
        found[0].includes('@')
          ? pick([found[0].replace(/^[^@]+/, box), found[0].replace(/@.*/, `@${host}.example`)], random)
          : pick([`https://${host}.example/${path}`, `${found[0]}/${path}`], random),
      );
    const more = { english: 'see', portuguese: 'veja', spanish: 'vea' }[language];
    return `${sentence.replace(/\.$/, '')}: ${more} https://${host}.example/${path}.`;
  },
  appended: (sentence, { language }, random) =>
    `${sentence.replace(/\.$/, '')} ${pick(claims[language], random)}.`.replace(' ,', ',').replace(' ;', ';'),
};

/** Says a sentence of a passage with one thing in it that is false; null where there is no such thing in it. */
export function lie(kind: LieKind, sentence: string, passage: Passage, random: Random): string | null {
  const said = liars[kind](sentence, passage, random);
  return said === null || said === sentence || passage.text.includes(said) ? null : said;
}
