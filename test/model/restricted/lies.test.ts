import { describe, expect, test } from 'vitest';
import { ownClaims } from '../../../bench/answers/claims/claims.ts';
import { denialsDelivered, outcomeOf } from '../../../bench/answers/outcome.ts';
import { groundsOf, type JudgedRequest } from '../../../src/model/restricted/grounds.ts';
import { filterBlocks } from '../../../src/model/restricted/keep-grounded.ts';
import { passage, request } from '../../support/model/model-requests.ts';
import { growth } from '../../support/random/growth.ts';
import { seed } from '../../support/random/seed.ts';

const bare = { instructions: null, welcome: null, freedom: 'restricted' as const };
const english = passage(
  'Dogs are welcome on a leash. The warranty is 3 years. Ana manages the store and Bruno repairs bikes. The Pro plan costs R$ 199 a month. The Basic plan costs R$ 99 a month. Returns are accepted within 30 days. We do not ship outside Portugal. Write to help@shop.example or see https://shop.example/help.',
);
const portuguese = passage(
  'Cães são bem-vindos com coleira. O plano Pro custa R$ 199 por mês. O plano Básico custa R$ 99 por mês. O reembolso é feito em 30 dias. A garantia é de 3 anos. Não entregamos fora de Portugal. Escreva para ajuda@loja.example.',
);
const spanish = passage(
  'Los perros son bienvenidos con correa. El plan Pro cuesta 199 € al mes. El plan Básico cuesta 99 € al mes. El reembolso se hace en 30 días. La garantía es de 3 años. No enviamos fuera de España. Escriba a ayuda@tienda.example.',
);

const judged = (said: string, source: typeof english, sentence: string, changes: Partial<JudgedRequest> = {}) =>
  groundsOf({ ...request(said, { passages: [source], agent: bare }), ...changes }).classify(sentence);

describe('a number that only the visitor said is not known', () => {
  test.each([
    ['Is the warranty 5 years?', english, 'Yes, the warranty is 5 years [1 "The warranty is 3 years"].'],
    ['O plano Pro custa R$ 99, certo?', portuguese, 'Sim, o plano Pro custa R$ 99 [1 "O plano Pro custa R$ 199"].'],
    ['¿El plan Pro cuesta 49 €?', spanish, 'Sí, el plan Pro cuesta 49 € [1 "El plan Pro cuesta 199 €"].'],
  ])('%s', (said, source, sentence) => {
    expect(judged(said, source, sentence)).toBe('unsupported');
  });

  test('nor is it in JSON, where a source says another; what the visitor alone can know is', () => {
    const grounds = groundsOf(
      request('The Pro plan costs 149, right? My order is 4711.', { passages: [english], agent: bare }),
    );
    expect([grounds.contains('149'), grounds.contains('199'), grounds.contains('4711')]).toEqual([false, true, true]);
  });
});

describe('a question states nothing', () => {
  test.each([
    [english, 'Which plan are you interested in?'],
    [english, 'May I have your name and e-mail?'],
    [portuguese, 'Posso ajudar em algo mais?'],
    [portuguese, 'Qual plano interessa a você?'],
    [spanish, '¿Puedo ayudarle en algo más?'],
    [spanish, '¿Cuántas personas son?'],
  ])('%#: %s', (source, sentence) => {
    expect(judged('Hi', source, sentence)).not.toBe('unsupported');
  });

  test.each([
    [english, 'Did you know that we ship to Mars?'],
    [english, 'The warranty is 5 years, right?'],
    [english, 'Would you like to use our free towing?'],
    [english, 'We ship to Mars, is that fine?'],
    [portuguese, 'Sabia que entregamos em Marte?'],
    [portuguese, 'O plano Pro custa R$ 99, certo?'],
    [spanish, '¿Sabía que enviamos a Marte?'],
    [spanish, 'El plan Pro cuesta 99 €, ¿verdad?'],
  ])('but one that does is none: %#', (source, sentence) => {
    expect(judged('Hi', source, sentence)).toBe('unsupported');
  });
});

describe('a true quote covers what it says', () => {
  const [dog, plan] = ['Dogs are welcome on a leash', 'The Pro plan costs R$ 199'];
  test.each([
    ['a swapped name', english, `Bruno manages the store [1 "Ana manages the store"].`],
    ['the price of another', english, `The Basic plan costs R$ 199 a month [1 "${plan}"].`],
    ['a negation', english, `Dogs are not welcome on a leash [1 "${dog}"].`],
    ['a negation taken away', english, 'We ship outside Portugal [1 "not ship outside Portugal"].'],
    [
      'a number in words',
      english,
      'Returns are accepted within ninety days [1 "Returns are accepted within 30 days"].',
    ],
    ['another currency', english, `The Pro plan costs US$ 199 a month [1 "${plan}"].`],
    ['another unit', english, 'Returns are accepted within 30 weeks [1 "accepted within 30 days"].'],
    ['an appended claim', english, `Dogs are welcome on a leash, and the pool is heated [1 "${dog}"].`],
    ['an invented e-mail address', english, 'Write to sales@shop.example [1 "Write to help@shop.example"].'],
    ['an invented link', english, 'See https://shop.test/help [1 "see https://shop.example/help"].'],
    [
      'a translated price',
      english,
      'O plano Pro custa R$ 99 por mês, certamente [1 "The Pro plan costs R$ 199 a month"].',
    ],
    ['um plano trocado', portuguese, 'O plano Básico custa R$ 199 por mês [1 "O plano Pro custa R$ 199"].'],
    ['uma negação', portuguese, 'Cães não são bem-vindos com coleira [1 "são bem-vindos com coleira"].'],
    ['um número por extenso', portuguese, 'O reembolso é feito em noventa dias [1 "é feito em 30 dias"].'],
    ['outra moeda', portuguese, 'O plano Pro custa 199 dólares por mês [1 "O plano Pro custa R$ 199"].'],
    ['algo acrescentado', portuguese, 'A garantia é de 3 anos, e o frete é grátis [1 "A garantia é de 3 anos"].'],
    ['otro plan', spanish, 'El plan Básico cuesta 199 € al mes [1 "El plan Pro cuesta 199 €"].'],
    ['una negación', spanish, 'Los perros no son bienvenidos con correa [1 "son bienvenidos con correa"].'],
    ['un número en letras', spanish, 'El reembolso se hace en noventa días [1 "se hace en 30 días"].'],
    ['otra moneda', spanish, 'El plan Pro cuesta 199 dólares al mes [1 "El plan Pro cuesta 199 €"].'],
    ['algo añadido', spanish, 'La garantía es de 3 años, y el envío es gratis [1 "La garantía es de 3 años"].'],
  ])('not %s', (_, source, sentence) => {
    expect(judged('Hi', source, sentence)).toBe('unsupported');
  });

  test.each([
    ['a negation', english, 'Dogs are not welcome on a leash.'],
    ['words of two sentences', english, 'The warranty of the Pro plan is 30 days.'],
    ['uma negação', portuguese, 'Cães não são bem-vindos com coleira.'],
    ['una negación', spanish, 'Los perros no son bienvenidos con correa.'],
  ])('and most of the words of a passage do not either: %s', (_, source, sentence) => {
    expect(judged('Hi', source, sentence)).toBe('unsupported');
  });

  test.each([
    [english, 'You may bring dogs on a leash [1 "Dogs are welcome on a leash"].'],
    [english, 'The Pro plan is 199 reais a month [1 "The Pro plan costs R$ 199"].'],
    [english, 'Within thirty days, returns are accepted.'],
    [english, 'You can reach us at help@shop.example.'],
    [portuguese, 'Não, o plano Pro custa 199 reais por mês.'],
    [portuguese, 'Em trinta dias o reembolso é feito [1 "é feito em 30 dias"].'],
    [spanish, 'No, el plan Pro cuesta 199 euros al mes.'],
    [spanish, 'La garantía es de tres años [1 "La garantía es de 3 años"].'],
  ])('what is true is told in other words: %#', (source, sentence) => {
    expect(judged('Hi', source, sentence)).toBe('stated');
  });

  test('passages do not complete each other', () => {
    const [one, other] = [passage('The Pro plan is for teams of five.'), passage('It costs R$ 49.', { id: 'psg_9' })];
    const grounds = groundsOf(request('Hi', { passages: [one, other], agent: bare }));
    expect(grounds.classify('The Pro plan for teams costs R$ 49.')).toBe('unsupported');
  });

  test('the address of a link in HTML is judged too', () => {
    const grounds = groundsOf(request('Hi', { passages: [english], agent: bare }));
    const judge = (sentence: string) => (grounds.classify(sentence) === 'unsupported' ? null : sentence);
    const link = (to: string) => `<p>See <a href="${to}">shop.example/help</a>.</p>`;
    expect(filterBlocks(link('https://shop.example/help'), judge)).not.toBe('');
    expect(filterBlocks(link('https://evil.test/help'), judge)).toBe('');
  });
});

describe('an admission admits', () => {
  test.each([
    [english, "I don't know that."],
    [english, 'I do not know whether we ship to Mars.'],
    [english, "I'm sorry, I could not find that in the documents."],
    [portuguese, 'Não tenho informações sobre isso.'],
    [portuguese, 'Desculpe, não sei responder.'],
    [spanish, 'No tengo información sobre eso.'],
    [spanish, 'Lo siento, no sé la respuesta.'],
  ])('%#: %s', (source, sentence) => {
    expect(judged('Hi', source, sentence)).toBe('admitted');
  });

  test.each([
    [english, 'I do not know the price, we do ship to Mars.'],
    [english, "I don't know – delivery is free."],
    [english, "We don't have a pool."],
    [portuguese, 'Não sei, entregamos em Marte.'],
    [spanish, 'No lo sé, enviamos a Marte.'],
    [spanish, 'No se aceptan devoluciones.'],
  ])('and states nothing behind it: %#', (source, sentence) => {
    expect(judged('Hi', source, sentence)).toBe('unsupported');
  });
});

describe('of a generated corpus, what is delivered', () => {
  test.each([
    ['no model judges', 'none', 0.001, 0.03],
    ['a model judges right', 0, 0.001, 0.03],
    ['a model judges wrong one time in ten', 0.1, 0.02, 0.05],
  ] as const)('is hardly a lie, and nearly all that is true, where %s', (_, judge, lies, truths) => {
    for (const part of ['tuning', 'held'] as const) {
      const claims = ownClaims(300, seed, part);
      expect(new Set(claims.map(({ relation, language }) => `${relation} ${language}`)).size).toBeGreaterThan(18);
      const { through, heldBack } = outcomeOf(claims, judge, seed);
      expect(through).toBeLessThan(lies);
      expect(heldBack).toBeLessThan(truths);
    }
  });

  test('is never a denial in the words of an admission', () => {
    const claims = (['tuning', 'held'] as const).flatMap((part) => ownClaims(200, seed, part));
    for (const judge of ['none', 0] as const)
      expect(denialsDelivered(claims, judge, seed)).toEqual({ made: claims.length, delivered: [] });
  });
});

test.each(['3 to ', '"a" and 5 ', 'no ', 'Ana, ', 'a.b@', 'www.', '12/', '1.', 'twenty ', 'March 5, '])(
  'twice as long a source or reply takes twice as long to judge: %j',
  async (part) => {
    const judge = (text: string, sentence: string) =>
      groundsOf(request('Hi', { passages: [passage(text)], agent: bare })).classify(sentence);
    const length = 16_000;
    expect(await growth(length, (size) => judge(part.repeat(size / part.length), 'Ana sells 3 of 5.'))).toBeLessThan(3);
  },
);
