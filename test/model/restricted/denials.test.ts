import { describe, expect, test } from 'vitest';
import { phrases } from '../../../src/model/embedded/phrases.ts';
import { keepGrounded } from '../../../src/model/restricted/keep-grounded.ts';
import type { MainLanguage } from '../../../src/text/language.ts';
import { passage, request } from '../../support/model/model-requests.ts';

const sources: Record<MainLanguage, string> = {
  e: 'Damage from burst pipes is covered up to 60,000 euros. The office opens at 9.',
  p: 'Danos por canos rompidos têm cobertura de até 60.000 euros. O escritório abre às 9.',
  s: 'Los daños por tuberías rotas tienen cobertura de hasta 60.000 euros. La oficina abre a las 9.',
};
const questions: Record<MainLanguage, string> = {
  e: 'Is damage from burst pipes covered?',
  p: 'Danos por canos rompidos têm cobertura?',
  s: '¿Los daños por tuberías rotas tienen cobertura?',
};
/** A cover that the source names, denied in the words in which people say that they do not know. */
const denials: Record<MainLanguage, string[]> = {
  e: [
    'Damage from burst pipes is not covered.',
    'Damage from burst pipes is not covered in the documents.',
    'Damage from burst pipes is not mentioned.',
    'Damage from burst pipes is not part of what we know to be covered.',
    "We don't have this.",
    "We don't have cover for burst pipes.",
    'There is no cover for burst pipes.',
    'There is no mention of cover for burst pipes.',
    'I found no cover for burst pipes.',
    "I don't know of any cover for burst pipes.",
    'I can confirm that we do not help with burst pipes.',
    'We cannot confirm any cover for burst pipes.',
    "I'm sorry, but burst pipes are not covered.",
  ],
  p: [
    'Danos por canos rompidos não têm cobertura.',
    'Não temos isso.',
    'Não há cobertura para canos rompidos.',
    'Canos rompidos não consta na cobertura.',
    'Não encontrei cobertura para canos rompidos.',
    'Não temos dados de cobertura para canos rompidos.',
  ],
  s: [
    'Los daños por tuberías rotas no tienen cobertura.',
    'No tenemos eso.',
    'No hay cobertura para tuberías rotas.',
    'No hay datos de cobertura para tuberías rotas.',
    'No encontré cobertura para tuberías rotas.',
    'No consta cobertura para tuberías rotas.',
  ],
};
const languages = Object.keys(sources) as MainLanguage[];
const cases = languages.flatMap((language) => denials[language].map((denial) => [language, denial] as const));

const grounded = (language: MainLanguage, written: string, format: 'markdown' | 'html' = 'markdown') =>
  keepGrounded(
    request(questions[language], {
      passages: [passage(sources[language])],
      format,
      agent: { instructions: null, welcome: null, freedom: 'restricted' },
    }),
    written,
  );
const told = (...given: Parameters<typeof grounded>): string => grounded(...given).text;

/** What the source says of it, with its mark. */
const quotes: Record<MainLanguage, string> = {
  e: 'Damage from burst pipes is covered up to 60,000 euros [1].',
  p: 'Danos por canos rompidos têm cobertura de até 60.000 euros [1].',
  s: 'Los daños por tuberías rotas tienen cobertura de hasta 60.000 euros [1].',
};

describe('of a denial in the form of an admission, the source or the gateway speaks in its place', () => {
  test.each(cases)('%s: %s', (language, denial) => {
    const { unknown } = phrases[language];
    const allowed = [unknown, quotes[language]];
    for (const mark of ['', ' [1]']) {
      const sentence = denial.replace(/\.$/, `${mark}.`);
      expect(allowed).toContain(told(language, sentence));
      const html = allowed.map((text) => `<p>${text}</p>`);
      expect(html).toContain(told(language, `<p>${sentence}</p>`, 'html'));
      expect(html).toContain(told(language, sentence, 'html'));
    }
  });
});

test.each<[MainLanguage, string]>([
  ['e', "I'm sorry, I don't have any information about that."],
  ['p', 'Desculpe, não encontrei isso nos documentos.'],
  ['s', 'Lo siento, no sé la respuesta.'],
])('so is an honest admission, and nothing counts as withheld: %s', (language, written) => {
  expect(grounded(language, written)).toMatchObject({ text: phrases[language].unknown, withheld: 0 });
});

describe('what else the sentence says, and stands in a source, is kept', () => {
  const { en, pt, es } = { en: phrases.e.unknown, pt: phrases.p.unknown, es: phrases.s.unknown };
  test.each<[MainLanguage, string, string]>([
    ['e', "I don't know the price, but the office opens at 9 [1].", `${en} The office opens at 9 [1].`],
    ['e', "The office opens at 9 [1], but I don't know the price.", `The office opens at 9 [1]. ${en}`],
    ['e', "I don't know the price. I could not find it in the documents, sorry.", en],
    ['e', 'The office opens at 9 [1].', 'The office opens at 9 [1].'],
    ['p', 'Não sei o preço, mas o escritório abre às 9 [1].', `${pt} O escritório abre às 9 [1].`],
    ['s', 'No sé el precio, pero la oficina abre a las 9 [1].', `${es} La oficina abre a las 9 [1].`],
  ])('%s: %s', (language, written, expected) => {
    expect(told(language, written)).toBe(expected);
  });

  test('in HTML, too', () => {
    expect(
      told('e', "<ul><li>The office opens at 9 [1].</li><li>I don't know the price &amp; more.</li></ul>", 'html'),
    ).toBe(`<ul><li>The office opens at 9 [1].</li><li>${en}</li></ul>`);
  });
});
