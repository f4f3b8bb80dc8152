import { describe, expect, test } from 'vitest';
import type { Language } from '../../../bench/answers/claims/corpus.ts';
import { pairOf, type Relation, relations } from '../../../bench/answers/others/relations.ts';
import { phrases } from '../../../src/model/embedded/phrases.ts';
import type { JudgedByModel } from '../../../src/model/restricted/grounds.ts';
import { keepGrounded } from '../../../src/model/restricted/keep-grounded.ts';
import type { HistoryMessage } from '../../../src/model/types.ts';
import { passage, request } from '../../support/model/model-requests.ts';
import { randomOf } from '../../support/random/random.ts';
import { seed } from '../../support/random/seed.ts';

/** Facts of which a lie of each kind can be made. */
const facts: Record<Relation, Record<Language, string[]>> = {
  who: {
    english: ['The administrator confirms each delivery in writing.', 'In the evening the server deletes old reports.'],
    portuguese: ['O administrador confirma cada entrega por escrito.'],
    spanish: ['El administrador confirma cada entrega por escrito.'],
  },
  condition: {
    english: [
      'If the parcel is damaged, the shop pays for its return.',
      'The deposit is paid back unless the key was lost.',
    ],
    portuguese: ['Se o pacote chegar danificado, a loja paga a devolução.'],
    spanish: ['Si el paquete llega dañado, la tienda paga la devolución.'],
  },
  bound: {
    english: [
      'A group has at least 8 people.',
      'The lift carries at most 400 kg.',
      'Storms of more than 90 km close the bridge.',
      'Damage is covered up to 60,000 euros.',
    ],
    portuguese: [
      'Um grupo tem pelo menos 8 pessoas.',
      'O elevador leva no máximo 400 kg.',
      'Danos até 60.000 euros têm cobertura.',
    ],
    spanish: [
      'Un grupo tiene al menos 8 personas.',
      'El ascensor lleva como máximo 400 kg.',
      'Daños de más de 90 euros tienen cobertura.',
    ],
  },
  comparison: {
    english: ['The night train is faster than the ferry.', 'The blue pass is more expensive than the day ticket.'],
    portuguese: ['O quarto azul é maior que a sala.', 'O passe azul é mais caro que o bilhete.'],
    spanish: ['La sala azul es mayor que el patio.', 'El pase azul es más caro que el billete.'],
  },
  order: {
    english: ['Shoes are taken off before the visit to the temple.', 'The invoice is sent after the inspection.'],
    portuguese: ['A fatura chega depois da inspeção.', 'Tiram-se os sapatos antes da visita.'],
    spanish: ['La factura llega después de la inspección.', 'La visita empieza tras la misa.'],
  },
  unit: {
    english: [
      'The oven is heated to 180 °C for bread.',
      'The bottle holds 5 litres of oil.',
      'The trail is 12 km long.',
      'The bag weighs 3 metres of rope.',
      'The test takes 30 minutes.',
      'The dose is 5 ml a day.',
    ],
    portuguese: [
      'O forno é aquecido a 180 °C.',
      'A garrafa contém 5 litros de óleo.',
      'A trilha tem 12 km.',
      'A dose é de 5 ml por dia.',
    ],
    spanish: [
      'El horno se calienta a 180 °C.',
      'La botella contiene 5 litros de aceite.',
      'El sendero tiene 12 km.',
      'La dosis es de 5 ml al día.',
    ],
  },
  negation: {
    english: ['The pool is not open to visitors.', 'Dogs are welcome in the garden.'],
    portuguese: ['A piscina não abre para visitantes.', 'O jardim é aberto aos cães.'],
    spanish: ['La piscina no abre para visitantes.', 'El jardín es abierto a los perros.'],
  },
  name: {
    english: ['The tours are led by Helena Duarte in spring.'],
    portuguese: ['As visitas são guiadas por Helena Duarte na primavera.'],
    spanish: ['Las visitas son guiadas por Helena Duarte en primavera.'],
  },
  date: {
    english: ['The hall was built in 1987 by volunteers.', 'Booking opens on 3 September.'],
    portuguese: ['O salão foi construído em 1987.', 'As reservas abrem em 3 de setembro.'],
    spanish: ['La sala fue construida en 1987.', 'Las reservas abren el 3 de septiembre.'],
  },
  number: {
    english: ['A ticket is valid for 6 rides.', 'The house has seven rooms with a view.'],
    portuguese: ['Um bilhete vale para 6 viagens.', 'A casa tem sete quartos com vista.'],
    spanish: ['Un billete vale para 6 viajes.', 'La casa tiene siete cuartos con vistas.'],
  },
  link: {
    english: ['Complaints are taken at https://town.example/help by the clerk.'],
    portuguese: ['As queixas são recebidas em https://cidade.example/ajuda pela secretaria.'],
    spanish: ['Las quejas se reciben en https://ciudad.example/ayuda por la secretaría.'],
  },
};
const names = { english: ['Martin Okafor'], portuguese: ['Martim Bastos'], spanish: ['Martín Bastos'] };
const around: Record<Language, string> = {
  english: 'The museum shop sells postcards. Lunch is served in the garden.',
  portuguese: 'A loja do museu vende postais. O almoço é servido no jardim de inverno.',
  spanish: 'La tienda del museo vende postales. El almuerzo se sirve en el patio interior.',
};
const unknown = { english: phrases.e.unknown, portuguese: phrases.p.unknown, spanish: phrases.s.unknown };
const asked = {
  english: 'What do you know of that?',
  portuguese: 'O que você sabe disso?',
  spanish: '¿Qué sabe usted de eso?',
};
const languages = Object.keys(around) as Language[];

const always = (verdict: boolean): JudgedByModel => ({ judged: () => verdict, settled: () => Promise.resolve() });
const told = (
  fact: string,
  language: Language,
  said: string,
  verdicts: JudgedByModel | null,
  history?: HistoryMessage[],
): string =>
  keepGrounded(
    {
      ...request(asked[language], {
        passages: [passage(`${around[language]} ${fact}`)],
        agent: { instructions: null, welcome: null, freedom: 'restricted' },
        ...(history && { history }),
      }),
      verdicts,
    },
    said,
  ).text.replace(/ \[1\]/g, '');

const afterTool = (language: Language): HistoryMessage[] => [
  { role: 'user', content: asked[language] },
  { role: 'assistant', content: null, toolCalls: [{ id: 'c1', name: 'weather', arguments: {} }] },
  { role: 'tool', toolCallId: 'c1', content: '{"temp":18.4,"sky":"clear"}' },
];

describe.each(relations)('what gets it wrong (%s)', (relation) => {
  const cases = languages.flatMap((language) => facts[relation][language].map((fact) => [language, fact] as const));

  test.each(cases)(
    'is never told, but the passage or that nothing is known, also with a judge that says yes to all: %s, %s',
    (language, fact) => {
      const random = randomOf(seed);
      for (let time = 0; time < 5; time++) {
        const pair = pairOf(relation, fact, language, random, names[language]);
        expect(pair).not.toBeNull();
        const { lie, twin } = pair as { lie: string; twin: string };
        for (const mark of ['', ' [1]']) {
          for (const verdicts of [null, always(true)])
            expect([fact, unknown[language]]).toContain(told(fact, language, lie.replace(/\.$/, `${mark}.`), verdicts));
          // A tool that was called for something else backs nothing that a passage speaks of.
          expect([fact, unknown[language]]).toContain(
            told(fact, language, lie.replace(/\.$/, `${mark}.`), null, afterTool(language)),
          );
          expect([fact, twin]).toContain(told(fact, language, twin.replace(/\.$/, `${mark}.`), null));
          expect([fact, twin]).toContain(told(fact, language, twin.replace(/\.$/, `${mark}.`), always(true)));
        }
      }
    },
  );
});
