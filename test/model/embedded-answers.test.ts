import { describe, expect, test } from 'vitest';
import { measureAnswers } from '../../bench/answers/measure.ts';
import { readArticles } from '../../bench/answers/squad.ts';
import { formsOf, questionTermsOf } from '../../src/model/embedded/question-terms.ts';
import { createModelService } from '../../src/model/service.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';
import { passage, request } from '../support/model/model-requests.ts';

const model = createModelService({ models: { list: [], default: 'embedded' }, timeoutMs: 60_000 });
const say = async (said: string, ...texts: string[]) => {
  const passages = texts.map((text, n) => passage(text, { id: `psg_${n}`, title: 'Mill handbook' }));
  return (await model.reply(request(said, { passages }))).content ?? '';
};
const caveat = /This is the closest that I found\.|Isto é o mais próximo/;

describe('the embedded model', () => {
  test.each([
    ['How much does a sack of flour cost?', 'Flour is sold by the sack at the gate.', false],
    ['How much does a sack of flour cost?', 'Flour is sold by the sack, which costs 14 crowns.', true],
    ['How much does the mill tour cost?', 'The mill tour takes two hours, and began in 1998.', false],
    ['How much does the mill tour cost?', 'The mill tour is € 8 in summer.', true],
    ['How much does the mill tour cost?', 'The mill tour costs 80 zlotys.', true],
    ['How much time do I have to pay for the sack?', 'You have a week to pay for the sack.', true],
    ['Quanto custa o passeio do moinho?', 'O passeio do moinho começou em 1998, com dois barcos.', false],
    ['Quanto custa o passeio do moinho?', 'O passeio do moinho custa doze reais.', true],
    ['When is the mill wheel repaired?', 'The mill wheel is repaired by a carpenter.', false],
    ['When is the mill wheel repaired?', 'The mill wheel is repaired in March.', true],
    [
      'Quando o caminho do moinho foi aberto?',
      'O caminho do moinho foi aberto até a ponte, e leva quatro horas.',
      false,
    ],
    ['Quando o caminho do moinho foi aberto?', 'O caminho do moinho foi aberto até a ponte em março.', true],
    ['Who repaired the mill in the flood?', 'The mill stood under water for two days in the flood.', false],
    ['Who repaired the mill in the flood?', 'In the flood, the mill was saved by Edda Marr.', true],
    ['Where is the grain of the mill kept?', 'The grain of the mill is kept dry and dark.', false],
    ['Where is the grain of the mill kept?', 'The grain of the mill is kept in the loft.', true],
  ])('%s %s: says plainly that it is the answer: %s', async (question, text, isPlain) => {
    const reply = await say(question, text);
    expect(reply).toContain(text);
    expect(caveat.test(reply)).toBe(!isPlain);
  });

  test('quotes the sentence after the one that is about the question', async () => {
    const text = 'The miller keeps bees behind the dam. Their honey is sold in June. Nobody else may go there.';
    expect(await say('What does the miller keep behind the dam?', text)).toContain('Their honey is sold in June.');
    expect(await say('What does the miller keep behind the dam?', text)).not.toContain('Nobody else');
  });

  test.each([
    [
      'What time do you close?',
      'The mill is open from 9:30 to 18:15, Tuesday to Saturday.',
      'On Sunday the mill is closed.',
    ],
    ['What time does the shop close?', 'You can come from 9 am to noon.', 'On Sunday the shop is closed.'],
    ['A que horas o moinho fecha?', 'Recebemos visitas das 9h30 às 18h.', 'Aos domingos o moinho fecha.'],
    ['¿A qué hora cierra el molino?', 'Recibimos visitas de 9:30 a 18:15.', 'Los domingos el molino cierra.'],
  ])('%s: quotes the sentence before, if it alone has the hours', async (question, hours, days) => {
    const before = 'The mill has a wheel.';
    const reply = await say(question, `${before} ${hours} ${days}`);
    expect(reply).toContain(`${hours} ${days}`);
    expect(reply).not.toContain(before);
  });

  test('but not where the one about the question has hours itself', async () => {
    const text = 'The tour starts at 11:00. The shop closes at 18:15.';
    expect(await say('What time does the shop close?', text)).not.toContain('The tour');
  });

  test('quotes the sentence that says what something is, where that is asked', async () => {
    const texts = [
      'A quern has two querns beside it, and each quern turns.',
      'Querns are old. A quern is a mill that is turned by hand.',
    ];
    expect(await say('What is a quern?', ...texts)).toContain('A quern is a mill that is turned by hand.');
  });

  test.each([
    ['When did the mill burn in Fairholt?', 'The mill did burn down in 1911.', false],
    ['When did the mill burn in Fairholt?', 'The mill did burn down in 1911, and Fairholt rebuilt it.', true],
    ['Hello Ada, when did the mill burn down?', 'The mill did burn down in 1911.', true],
  ])('%s %s: answers plainly only of what is named: %s', async (question, text, isPlain) => {
    const reply = await say(question, text);
    expect(reply).toContain(text);
    expect(caveat.test(reply)).toBe(!isPlain);
  });

  test.each([
    [
      'Who built the mill in the marsh?',
      'The mill of Anna Reed has stood for years in the dark marsh.',
      ['built'],
      false,
    ],
    ['Who built the mill in the marsh?', 'The mill of Anna Reed has stood for years in the dark marsh.', [], true],
  ])('%s %s: a word that it lacks counts by its rarity: %j', async (question, text, rare, isPlain) => {
    const words = ['built', 'mill', 'marsh'];
    const rarities = new Map(
      words.map((word) => [word, (rare as string[]).includes(word) ? 6 : word === 'built' ? 0.5 : 3]),
    );
    const reply = (await model.reply(request(question, { passages: [passage(text, { rarities })] }))).content ?? '';
    expect(reply).toContain(text);
    expect(caveat.test(reply)).toBe(!isPlain);
  });

  test.each([
    ['How many days do I have to return something?', 'You may return it within 45 days of delivery.'],
    ['Quantos dias tenho para devolver alguma coisa?', 'Pode devolver em até 45 dias da entrega.'],
  ])('%s: a word that stands for anything is not missed', async (question, text) => {
    const rarities = new Map(['days', 'return', 'dias', 'devolver'].map((word) => [word, 3]));
    for (const word of ['something', 'coisa']) rarities.set(word, 6);
    const reply = await model.reply(request(question, { passages: [passage(text, { rarities })] }));
    expect(reply.content).toContain(text);
    expect(caveat.test(reply.content ?? '')).toBe(false);
  });

  test('of two letters of unspaced text, rarity says nothing: they may span two words', async () => {
    const texts = ['磨坊的水轮在三月修好。', '老磨坊的面粉在门口出售，大家都来买。'];
    const told = async (rarities?: Map<string, number>) => {
      const passages = texts.map((text, n) => passage(text, { id: `psg_${n}`, rarities }));
      return (await model.reply(request('磨坊的面粉在哪里出售？', { passages }))).references.map(({ quote }) => quote);
    };
    const pairs = questionTermsOf('磨坊的面粉在哪里出售？', new Set()).terms.flatMap(({ words }) => words);
    const spanning = new Map(pairs.map((pair) => [pair, pair === '坊的' ? 9 : 0.1]));
    expect(await told()).toEqual([texts[1]]);
    expect(await told(spanning)).toEqual([texts[1]]);
  });

  test.each([
    ['How is wool flour made?', 'The mill makes wool flour of the rest.', true],
    [
      'How is wool flour made?',
      'A sack of flour is of hemp, and whatever is left behind of the wool is given away.',
      false,
    ],
  ])('%s %s: words that stand together say more: %s', async (question, text, isPlain) => {
    const rarities = new Map(['wool', 'flour', 'made'].map((word) => [word, 3]));
    const reply = await model.reply(request(question, { passages: [passage(text, { rarities })] }));
    expect(caveat.test(reply.content ?? '')).toBe(!isPlain);
  });

  test.each([
    ['Wo liegt die Küste, an der die Mühle steht?', 'Die alte Mühle steht an der Atlantikküste.'],
    ['Wo steht die alte Windmühle?', 'Die alte Mühle steht in Uhlenbrook an der Straße.'],
  ])('%s: a German compound is found by its last part', (question, text) => {
    const forms = formsOf(text);
    const { terms } = questionTermsOf(question, new Set());
    expect(terms.filter((term) => term.shareIn(forms) > 0).length).toBeGreaterThanOrEqual(2);
    const last = questionTermsOf('Wo ist die Feder des Lagers?', new Set()).terms;
    expect(last.filter((term) => term.shareIn(forms) > 0)).toEqual([]);
  });

  test('quotes no heading as the beginning of a sentence, and none of what is told next', async () => {
    const text =
      'Milling times\n\nThe mill grinds from 9:30 to 18:15. On Sunday it rests.\n\nReturns\n\nA torn sack is taken back within 33 days.';
    const times = await say('What are the milling times?', text);
    expect(times).toContain('“The mill grinds from 9:30 to 18:15. On Sunday it rests.”');
    expect(times).not.toContain('Returns');
    const returns = await say('What about returns of a torn sack?', text);
    expect(returns).toContain('“A torn sack is taken back within 33 days.”');
    const address = await say(
      'What is the address of the mill?',
      'Address of the mill\n\nOld Harbour Street\n\nWe are there in summer.',
    );
    expect(address).toContain('“Old Harbour Street”');
  });

  test('says that it does not know what a passage shares one frequent word of several with', async () => {
    const texts = ['The mill opens at nine.', 'The mill grinds rye.', 'Coaches stop at the mill.'];
    expect(await say('Does the mill rehearse Wagner operas on Thursdays?', ...texts)).toContain("I don't know");
  });

  test('is as good on the collections of the project as it was measured to be, and cites nothing that is not there', async () => {
    const handle = await borrowDatabase();
    try {
      const answered = await measureAnswers(handle.client, readArticles('bench/data/answers'));
      expect(answered).toMatchObject({ questions: 49, falseCitations: 0 });
      expect(answered.cited).toBeGreaterThanOrEqual(0.97);
      expect(answered.contained).toBeGreaterThanOrEqual(0.97);
      expect(answered.admitted).toBeGreaterThanOrEqual(0.64);
      expect(answered.offTopic).toBeLessThanOrEqual(0.05);
    } finally {
      await handle.close();
    }
  });
});
