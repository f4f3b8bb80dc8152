import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mainLanguageOf } from '../../src/text/language.ts';

const of = (...texts: string[]) => texts;
/** What a shop is asked about: with single letters, loan words, and names in other languages. */
const things = [
  ...of(
    'e-bikes',
    'e-books',
    'e-mail',
    'A-frames',
    'O-rings',
    'T-shirts',
    'wi-fi',
    'tapas',
    'paella',
    'sushi',
    'pizza',
  ),
  ...of(
    'jalapeños',
    'açaí',
    'müsli',
    'crème brûlée',
    'Dos Equis',
    'Casa Amarela',
    'Los Angeles',
    'Coca-Cola',
    'iPhones',
  ),
];
const each = (...frames: string[]) => frames.flatMap((frame) => things.map((thing) => frame.replace('X', thing)));
const questions = {
  e: [
    ...each('Do you sell X?', 'Do you do X?', 'Do you have X?', 'Is the X on?', 'Can I get X here?', 'How much is X?'),
    ...each('Where are the X?', 'Are X in stock?', 'Who do I ask about X?', 'Do X come in red?', 'Is X as good as Y?'),
    'Is the A on?',
    'Is E on?',
    'Do you?',
    'So do I?',
    'Do I do a or e?',
    'Am I a member?',
    'Is it me?',
    'Can a man do it?',
    ...of(
      'What time do you close?',
      'How and when?',
      'Do you ship to me?',
      'Are you on the A or the E line?',
      'Me too?',
    ),
  ],
  p: [
    ...each('Vocês vendem X?', 'Vocês têm X?', 'O X está ligado?', 'Quanto custa o X?', 'Onde ficam os X?'),
    ...each('Posso comprar X aqui?', 'Tem X em estoque?', 'Quem cuida do X?', 'O X é bom?', 'Você faz X?'),
    'Como e quando?',
    'A que horas vocês fecham?',
    'O A está ligado?',
    'Sou eu?',
    'Eu também?',
    'E o meu?',
    'Do que é feito?',
    ...of('Onde e como?', 'Não é do Sul?', 'Qual é a do lado?', 'Posso ir a pé?', 'Tem do azul?'),
  ],
  s: [
    ...each(
      '¿Venden X?',
      '¿Tienen X?',
      'Tienen X?',
      '¿Está encendido el X?',
      'Cuánto cuesta el X?',
      '¿Dónde están los X?',
    ),
    ...each('Puedo comprar X aquí?', '¿Hay X en stock?', 'Quién se ocupa del X?', '¿El X es bueno?', 'Usted hace X?'),
    '¿Cómo y cuándo?',
    'Cómo y cuándo?',
    '¿A qué hora cierran?',
    '¿Está encendida la A?',
    '¿Soy yo?',
    '¿Yo también?',
    ...of('¿Y el mío?', '¿De qué está hecho?', 'Dónde y cómo?', '¿No es del sur?', 'Puedo ir a pie?', '¿La e o la a?'),
  ],
};
const german = [
  ...each(
    'Verkaufen Sie X?',
    'Haben Sie X?',
    'Gibt es X?',
    'Ist das X an?',
    'Was kostet X?',
    'Wo sind die X?',
    'Machen Sie X?',
  ),
  ...of('Wie und wann?', 'Wann schließen Sie?', 'Ist das A an?', 'Bin ich das?', 'Und ich?', 'Woraus ist das?'),
];
const said = {
  e: 'The shop is in the old harbour, and you can rent a boat there.',
  p: 'A loja fica no porto antigo, e você pode alugar um barco ali.',
  s: 'La tienda está en el puerto antiguo, y usted puede alquilar un barco allí.',
};
type Language = keyof typeof questions;
const languages = Object.keys(questions) as Language[];
const asked = (name: string): string[] =>
  JSON.parse(readFileSync(`bench/data/answers/${name}.json`, 'utf8')).data.flatMap(
    ({ paragraphs }: { paragraphs: { qas: { question: string }[] }[] }) =>
      paragraphs.flatMap(({ qas }) => qas.map(({ question }) => question)),
  );
const all: Record<Language, string[]> = {
  e: [...questions.e, ...asked('english')],
  p: [...questions.p, ...asked('portuguese')],
  s: [...questions.s, ...asked('spanish')],
};

describe.each(languages)('a question in %s', (language) => {
  const others = languages.filter((each) => each !== language);

  test('never counts as one in another language', () => {
    expect(all[language].filter((question) => mainLanguageOf(question, said[language]) !== language)).toEqual([]);
  });

  test('shows its language whatever the passages are in, in 19 of 20', () => {
    const unsure = all[language].filter((question) =>
      others.some((other) => mainLanguageOf(question, said[other]) !== language),
    );
    expect(unsure.length / all[language].length, unsure.join('\n')).toBeLessThanOrEqual(0.05);
  });
});

test('a question in German is answered in the language of the passages', () => {
  for (const language of languages) {
    expect(german.filter((question) => mainLanguageOf(question, said[language]) !== language)).toEqual([]);
  }
});

test.each([
  ['p', 'O que Claude Shannon desenvolveu no artigo A Mathematical Theory of Communication?'],
  ['s', '¿Qué dice el libro The Art of Computer Programming?'],
])('a title in another language is no sign of it: %s %s', (language, question) => {
  expect(mainLanguageOf(question)).toBe(language);
});

test('a question and passages in another script show no language by the names in them', () => {
  expect(
    mainLanguageOf('كيف تكبح كينيا الفساد؟', 'أنشأت كينيا Comissão de Ética e Anticorrupção للتحقيق في الفساد والرشوة'),
  ).toBeNull();
  expect(
    mainLanguageOf('Как работает São Paulo?', 'Оперный театр São Paulo открыт с утра до вечера и по выходным дням'),
  ).toBeNull();
  expect(mainLanguageOf('北京在哪里？', '北京 é a capital 中华人民共和国首都直辖市国家中心城市超大城市')).toBeNull();
});
