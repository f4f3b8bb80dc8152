import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { languageOf } from '../../src/model/embedded/language.ts';
import { phrases } from '../../src/model/embedded/phrases.ts';
import { createModelService } from '../../src/model/service.ts';
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
    ['en', 'english'],
    ['pt', 'portuguese'],
    ['es', 'spanish'],
  ])('%s', (code, language) => {
    expect((everyday[language] ?? []).filter((question) => languageOf(question) !== code)).toEqual([]);
  });

  test.each([
    ['Por que criar três deles, então?', 'pt'],
    ['O que estamos tentando proteger?', 'pt'],
    ['Vazamento de dados confidenciais?', 'pt'],
    ['Posso devolver?', 'pt'],
    ['¿Devolver?', 'es'],
    ['Entrega y cancelación', 'es'],
    ['Opening hours?', 'en'],
  ])('%s: %s', (question, code) => {
    expect(languageOf(question)).toBe(code);
  });

  test('and where none does, the passages do', async () => {
    const passages = [passage('O banco de dados antigo pode ser movido com um comando, que não apaga o original.')];
    const { content } = await model.reply(
      request('Mover banco de dados antigo?', { passages, agent: { instructions: null, welcome: null } }),
    );
    expect(content).toMatch(/^Segundo/);
  });
});
