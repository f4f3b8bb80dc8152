import { beforeAll, describe, expect, test } from 'vitest';
import { readUpgrades } from '../../src/database/migrations.ts';
import { indexWaitingPassages } from '../../src/search/segments.ts';
import { queryWords } from '../../src/text/lexemes.ts';
import { useGateway } from '../support/gateway/app.ts';
import { useKnowledge } from '../support/knowledge/knowledge.ts';
import { useSite } from '../support/knowledge/site.ts';

const gateway = useGateway();
const { home, make, settle } = useKnowledge(gateway, useSite());

const languages = {
  Portuguese: {
    pairs: `viagem viagens, hotel hotéis, animal animais, avião aviões, dia dias, ano anos, local locais, jardim jardins,
      item itens, pão pães, mãe mães, mão mãos, papel papéis, perfil perfis, difícil difíceis, móvel móveis, lençol lençóis,
      refeição refeições, lei leis, português portugueses, irmã irmãs, menu menus, criança crianças, luz luzes, mês meses`,
    text: (word: string) => `Não há nada aqui sobre ${word}, mas também não há em outro lugar.`,
  },
  Spanish: {
    pairs: `día días, año años, luz luces, lápiz lápices, raíz raíces, imagen imágenes, examen exámenes, origen orígenes,
      ciudad ciudades, interés intereses, inglés ingleses, autobús autobuses, menú menús, enlace enlaces, canción canciones,
      niño niñas, hotel hoteles, país países, pared paredes`,
    text: (word: string) => `No hay nada aquí sobre ${word}, pero tampoco lo hay en otra parte.`,
  },
  English: {
    pairs: 'city cities, box boxes, booking booked, swim swimming, day days, policy policies',
    text: (word: string) => `There is nothing here about ${word}, but it is not to be had elsewhere either.`,
  },
  German: {
    pairs: `Haus Häuser, Kündigung Kündigungen, Straße Straßen, Buch Bücher, Vertrag Verträge, Rechnung Rechnungen, Apfel Äpfel,
      Zimmer Zimmern, Öffnungszeit Öffnungszeiten`,
    text: (word: string) => `Hier steht nichts über ${word}, aber es ist auch nicht woanders zu finden.`,
  },
  French: {
    pairs: 'livraison livraisons, cheval chevaux, client clients, région régions, journal journaux, chambre chambres',
    text: (word: string) => `Il n'y a rien ici au sujet de ${word}, mais il n'y a rien non plus ailleurs.`,
  },
  Italian: {
    pairs: 'ristorante ristoranti, prenotazione prenotazioni, stanza stanze, albergo alberghi, orario orari',
    text: (word: string) => `Qui non si trova niente su ${word}, ma non si trova nemmeno da un'altra parte.`,
  },
  // Of these, a word has the same stem in a text of any language.
  Arabic: {
    pairs: `كتاب الكتاب, مدرسة للمدرسة, مقالة مقالته, رواد الرواد, مهندس المهندسين, خدمة الخدمات, فريق الفريق,
      مستحثات المستحثات, سلسلة لسلسلة, المتحف لمتحف, العصيان بالعصيان, الحركة والحركة`,
    text: (word: string) => `لا يوجد شيء هنا عن ${word} ولا في مكان آخر.`,
  },
  Russian: {
    pairs: 'красный красного, музей музеи, линия линий, книга книги, дом домом, читает читать, ёлка елки',
    text: (word: string) => `Здесь нет ничего про ${word}, и в другом месте тоже.`,
  },
  Greek: {
    pairs: 'πόλη πόλεις, άνθρωπος ανθρώπων, βιβλία βιβλίου, δρόμος δρόμους',
    text: (word: string) => `In English about the word ${word}.`,
  },
};

async function find(query: string, id: string): Promise<string[]> {
  const document = `query ($query: String!, $id: ID!) {
    searchPassages(query: $query, baseIds: [$id], first: 20) { nodes { passage { text } } } }`;
  const { searchPassages } = await gateway.data(home.viewer, document, { query, id });
  return searchPassages.nodes.map(({ passage }: { passage: { text: string } }) => passage.text);
}

describe.each(Object.entries(languages))('in %s', (_language, { pairs, text }) => {
  const forms = pairs.split(',').map((pair) => pair.trim().split(' ') as [string, string]);
  let baseId: string;
  beforeAll(async () => {
    const items = forms.flatMap(([one, many]) => [one, many].map((word) => ({ question: '-', answer: text(word) })));
    baseId = (await settle((await make([{ type: 'faq', file: { data: { items } } }])).id)).id;
  });
  test.each(forms)('%s and %s are found by each other', async (one, many) => {
    const both = [text(one), text(many)].toSorted();
    expect((await find(one, baseId)).toSorted()).toEqual(both);
    expect((await find(many, baseId)).toSorted()).toEqual(both);
  });
});

test.each([
  ['Сколько стоит зарядка у этого велосипеда?', ['стоит', 'зарядка', 'велосипеда']],
  ['ما هو سعر الدراجة؟', ['سعر', 'الدراجة']],
  ['Πόσο κοστίζει το ποδήλατο;', ['κοστιζει', 'ποδηλατο']],
  ['Wie hoch ist die Kaution für dieses Zimmer?', ['hoch', 'kaution', 'zimmer']],
  ["Quel est le prix d'une chambre avec vue ?", ['prix', 'chambre', 'vue']],
  ['Quanto costa una camera con vista sul lago?', ['costa', 'camera', 'vista', 'lago']],
  ['Who lost the war?', ['lost', 'war']],
  ['Когда и где?', ['когда', 'и', 'где']],
])('the words that only ask are not searched beside others: %s', (question, words) => {
  expect(queryWords(question).map(({ word }) => word)).toEqual(words);
});

test('what was indexed with older stems is found by the new ones after an upgrade', async () => {
  const answer = 'O hotel tem um barco.';
  const items = [{ question: '-', answer }];
  const { id } = await settle((await make([{ type: 'faq', file: { data: { items } } }])).id);
  const { pool } = gateway.handle;
  await pool.query(`UPDATE "PassageTerm" SET "term" = 'older' || "term"`);
  expect(await find('hotéis', id)).toEqual([]);
  const { script } = readUpgrades().find(({ name }) => name.endsWith('_plural_stems')) ?? {};
  await pool.query(script ?? '');
  await indexWaitingPassages(gateway.handle);
  expect(await find('hotéis', id)).toEqual([answer]);
  expect((await pool.query(`SELECT FROM "PassageTerm" WHERE "term" LIKE 'older%'`)).rows).toEqual([]);
});

describe('a passage of few words keeps those that are stop words in another language', () => {
  const texts = [
    ['Rental car: 50 EUR', 'How much is a car?'],
    ['Straw hat: 20 EUR', 'Do you sell a hat?'],
    ['Rubbish bin: Mondays', 'When is the bin emptied?'],
    ['Double room: 90 EUR per night', 'How much are two nights?'],
    ['Ferries: Tuesdays, Thursdays', 'When is the ferry?'],
    ['Final payment due: June 1', 'When is it due?'],
    ['War museum', 'Where is the war museum?'],
    ['Zona Sur: 3 EUR', '¿Qué cuesta la zona sur?'],
    ['Almoço: 12h', 'Quando é o almoço?'],
  ] as const;
  let baseId: string;
  beforeAll(async () => {
    const items = texts.map(([answer]) => ({ question: '-', answer }));
    baseId = (await settle((await make([{ type: 'faq', file: { data: { items } } }])).id)).id;
  });
  test.each(texts)('%s: %s', async (text, question) => {
    expect(await find(question, baseId)).toContain(text);
  });
});

test.each([
  ['sans serif font', ['sans', 'serif', 'font']],
  ['plus size car', ['plus', 'size', 'car']],
  ['Was the Son in a war?', ['son', 'war']],
])('a question of few words keeps them: %s', (question, words) => {
  expect(queryWords(question).map(({ word }) => word)).toEqual(words);
});
