import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findAnswer } from '../../src/model/embedded/find-answer.ts';
import { phrases } from '../../src/model/embedded/phrases.ts';
import { createModelService } from '../../src/model/service.ts';
import { mainLanguageOf } from '../../src/text/language.ts';
import { passage, request } from '../support/model/model-requests.ts';

const model = createModelService({ models: { list: [], default: 'embedded' }, timeoutMs: 60_000 });
/** Questions about daily life in six languages. */
const everyday: Record<string, string[]> = JSON.parse(readFileSync('bench/data/off-topic/questions.json', 'utf8'));
/** Of something else altogether, in as many common words as such texts have. */
const texts: Record<string, string[]> = {
  english: [
    'The package manager can install a program in a few minutes. It is best to read its manual first. How long it takes depends on the network.',
    'When the server does not start, look at what is in the log of the last night. It is good to have a copy of the disk.',
  ],
  portuguese: [
    'O gerenciador de pacotes pode instalar um programa em poucos minutos. É melhor ler primeiro o manual. O tempo que leva depende da rede.',
    'Quando o servidor não inicia, veja o que está no registro da noite. É bom ter uma cópia do disco.',
  ],
  spanish: [
    'El gestor de paquetes puede instalar un programa en pocos minutos. Es mejor leer primero el manual. El tiempo que tarda depende de la red.',
    'Cuando el servidor no arranca, mire lo que está en el registro de la noche. Es bueno tener una copia del disco.',
  ],
  german: [
    'Die Paketverwaltung kann ein Programm in wenigen Minuten installieren. Es ist gut, vorher das Handbuch zu lesen. Wie lange es dauert, hängt vom Netz ab.',
    'Wenn der Server nicht startet, steht im Protokoll der Nacht, was war. Es ist gut, eine Kopie der Platte zu haben.',
  ],
  chinese: ['软件包管理器可以在几分钟内安装程序。最好先阅读手册。', '服务器不能启动的时候，请看昨晚的日志。'],
  arabic: [
    'يمكن لمدير الحزم تثبيت البرنامج في دقائق. من الأفضل قراءة الدليل أولا.',
    'إذا لم يبدأ الخادم فانظر إلى ما هو في سجل الليل. من الجيد أن تكون لديك نسخة من القرص.',
  ],
};
const caveats = Object.values(phrases).flatMap(({ closest, unknown }) => [closest, unknown]);

describe('of 30 questions off the topic, at most one gets a plain answer', () => {
  test.each(Object.keys(texts))('in %s', async (language) => {
    const passages = (texts[language] ?? []).map((text, index) => passage(text, { id: `psg_${index}` }));
    const plain: string[] = [];
    for (const question of everyday[language] ?? []) {
      const { content } = await model.reply(request(question, { passages }));
      if (!caveats.some((caveat) => content?.includes(caveat))) plain.push(question);
    }
    expect(everyday[language]).toHaveLength(30);
    expect(plain.length, plain.join(' | ')).toBeLessThan(2);
  });
});

describe('a question shows its language', () => {
  test.each([
    ['e', 'english'],
    ['p', 'portuguese'],
    ['s', 'spanish'],
  ])('%s', (code, language) => {
    expect((everyday[language] ?? []).filter((question) => mainLanguageOf(question) !== code)).toEqual([]);
  });

  test.each([
    ['Por que criar três deles, então?', 'p'],
    ['O que estamos tentando proteger?', 'p'],
    ['Vazamento de dados confidenciais?', 'p'],
    ['Posso devolver?', 'p'],
    ['¿Devolver?', 's'],
    ['Entrega y cancelación', 's'],
    ['La prueba dura 14 días.', 's'],
    ['A padaria fecha às segundas-feiras.', 'p'],
    ['Entregamos as caixas 10 dias antes da mudança.', 'p'],
    ['Opening hours?', 'e'],
    ['Do you have crème brûlée à la carte?', 'e'],
    ['Is the crêpe pâtissière vegan?', 'e'],
    ['Is there an entrée with jalapeño and açaí?', 'e'],
    ['Do you ship to Ñuñoa?', 'e'],
    ['Is São Paulo included?', 'e'],
    ['¿Wifi?', 's'],
    ['Tem crème brûlée no menu?', 'p'],
  ])('%s: %s', (question, code) => {
    expect(mainLanguageOf(question) ?? 'e').toBe(code);
  });

  test.each([
    ...(everyday['german'] ?? []),
    'Haben Sie einen Balkon?',
    'Gibt es am Sonntag Frühstück?',
    'Telefon?',
    'Quels sont vos horaires ?',
    'Avez-vous des cafés à Genève ?',
    'Où se trouve la gare ?',
    'Puis-je annuler ma réservation ?',
    'Combien coûte la livraison ?',
    "Est-ce qu'il y a un parking ?",
    'Livrez-vous à domicile ?',
    'Quali sono gli orari di apertura?',
    'Posso pagare con la carta?',
    'Quanto costa la spedizione?',
    'Avete una camera con balcone?',
    "Dov'è la stazione?",
    'Come posso annullare la prenotazione?',
  ])('or none of the three, and then the welcome decides: %s', (question) => {
    for (const [code, welcome] of [
      ['e', 'How can we help you?'],
      ['p', 'Como podemos ajudar você?'],
      ['s', '¿Cómo le podemos ayudar?'],
    ] as const)
      expect(mainLanguageOf(question, welcome)).toBe(code);
  });

  test('and where none does, the passages do', async () => {
    const passages = [passage('O banco de dados antigo pode ser movido com um comando, que não apaga o original.')];
    const { content } = await model.reply(
      request('Mover banco de dados antigo?', { passages, agent: { instructions: null, welcome: null } }),
    );
    expect(content).toMatch(/^Segundo/);
  });
});

describe('a word that phrases questions in German is what an English one asks for', () => {
  test.each([
    ['What is the price of a hat?', 'The price of a hat is 20 euros.'],
    ['Where is the ER?', 'The ER is on the ground floor.'],
    ['where is the er?', 'The er is on the ground floor.'],
    ['Who is the man?', 'The man on the picture is the founder.'],
    ['What was the war?', 'The war was about the harbour.'],
    ['Where do the fish die?', 'Fish die in warm water.'],
    ['What is a wo?', 'A wo is a unit of a fan.'],
    ['A den?', 'The den is below the roof.'],
    ['Hat?', 'A hat is 20 euros.'],
  ])('%s', (question, fact) => {
    const found = findAnswer(question, [passage(`Shoes cost 40 euros. ${fact} Lunch is at noon.`)], new Set());
    expect(found?.quotes.map(({ text }) => text).join(' ')).toContain(fact);
  });

  test('and alone is what its quotes are about', () => {
    const found = findAnswer(
      'Which hat is the best?',
      [passage('The best shoes are red. It rains.\nThe best hat is the blue hat. The shop opens at nine.')],
      new Set(),
    );
    expect(found?.quotes.map(({ text }) => text).join(' ')).not.toContain('shoes');
  });

  test.each([
    ['Wie ist das?', 'Das ist, wie es ist.'],
    ['Qui êtes-vous ?', 'Qui êtes-vous ? Nous louons des barques.'],
    ["C'est combien ?", "C'est dix euros."],
    ['Chi siamo?', 'Chi siamo? Una scuola di vela, e siamo qui da anni.'],
  ])('nor is a question of such words alone unanswerable in its own language: %s', (question, text) => {
    expect(findAnswer(question, [passage(text)], new Set())).not.toBeNull();
  });
});
