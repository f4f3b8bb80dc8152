import { describe, expect, test } from 'vitest';
import { workspacesToClean } from '../../src/search/messages/merging.ts';
import { basesToReindex, reindexBase } from '../../src/search/reindexing.ts';
import { indexAll, seedConversation } from '../support/conversations/seeded-conversation.ts';
import { useGateway } from '../support/gateway/app.ts';
import { useKnowledge } from '../support/knowledge/knowledge.ts';
import { useSite } from '../support/knowledge/site.ts';

const gateway = useGateway();
const { home, make, settle } = useKnowledge(gateway, useSite());

type Hit = { passage: { text: string }; highlights: { start: number; end: number }[] };

async function search(query: string, id: string): Promise<Hit[]> {
  const document = `query ($query: String!, $id: ID!) {
    searchPassages(query: $query, baseIds: [$id], first: 20) { nodes { passage { text } highlights { start end } } } }`;
  return (await gateway.data(home.viewer, document, { query, id })).searchPassages.nodes;
}
const find = async (query: string, id: string) => (await search(query, id)).map(({ passage }) => passage.text);

async function ask(baseId: string, message: string): Promise<string> {
  const agent = `mutation ($input: CreateAgentInput!) { createAgent(input: $input) { agent { id } } }`;
  const { id } = (await gateway.data(home.editor, agent, { input: { name: 'Ada' } })).createAgent.agent;
  const attach = 'mutation ($input: AttachBaseInput!) { attachBase(input: $input) { agent { id } } }';
  await gateway.data(home.editor, attach, { input: { agentId: id, baseId } });
  const send = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messages { content } } }`;
  const input = { agentId: id, message: { content: message } };
  return (await gateway.data(home.editor, send, { input })).sendMessage.messages[0].content;
}

const texts = (list: string[]) => list.map((text) => ({ type: 'file', file: { data: { text } } }));

const scripts: Record<string, { texts: string[]; questions: [string, number][] }> = {
  Chinese: {
    texts: [
      '露营地每天早上八点开放，晚上十点关门。',
      '租一顶帐篷每晚四十元，睡袋另外收费。',
      '宠物可以入园，但必须拴好绳子。',
    ],
    questions: [
      ['露营地几点开放？', 0],
      ['帐篷多少钱一晚', 1],
      ['可以带宠物吗', 2],
    ],
  },
  Japanese: {
    texts: [
      'キャンプ場は毎朝八時に開きます。',
      'テントのレンタルは一泊二千円です。',
      '犬は必ずリードにつないでください。',
    ],
    questions: [
      ['キャンプ場は何時に開きますか', 0],
      ['テントの料金はいくらですか', 1],
      ['リードは必要ですか', 2],
    ],
  },
  Thai: {
    texts: ['ลานกางเต็นท์เปิดทุกวันเวลาแปดโมงเช้า', 'ค่าเช่าถุงนอนคืนละห้าสิบบาท', 'สุนัขต้องใส่สายจูงตลอดเวลา'],
    questions: [
      ['ลานกางเต็นท์เปิดกี่โมง', 0],
      ['เช่าถุงนอนราคาเท่าไร', 1],
      ['สุนัขต้องใส่สายจูงไหม', 2],
    ],
  },
  Korean: {
    texts: [
      '캠핑장은 매일 아침 여덟 시에 문을 엽니다.',
      '침낭을 빌리는 값은 하룻밤에 오천 원입니다.',
      '강아지는 목줄을 매야 합니다.',
    ],
    questions: [
      ['캠핑장 몇 시에 여나요?', 0],
      ['침낭 빌리는 데 얼마예요', 1],
      ['강아지도 되나요', 2],
    ],
  },
};

describe.each(Object.entries(scripts))('in %s', (_name, { texts: list, questions }) => {
  test('questions find the passage that answers them, and the embedded model quotes it', async () => {
    const { id } = await settle((await make(texts(list), '-')).id);
    for (const [question, index] of questions) expect((await find(question, id))[0]).toBe(list[index]);
    expect(await ask(id, questions[0]?.[0] ?? '')).toContain(list[0]);
  });
});

describe('the words that ask, which a passage does not contain,', () => {
  const cases: [string, string, string][] = [
    ['Chinese', '帐篷多少钱一晚？', '帐篷：每晚五十元，含防潮垫。'],
    ['Chinese, in traditional letters', '請問營地幾點關門呢？', '營地於晚上十時關門。'],
    ['Japanese', 'テントのお値段はおいくらでしょうか？', 'テント：一泊二千円。'],
    ['Korean', '텐트는 얼마인가요?', '텐트 하룻밤에 이만 원입니다.'],
    ['Thai', 'เช่าเต็นท์ราคาเท่าไหร่คะ', 'เต็นท์หลังละสองร้อยบาท'],
  ];

  test.each(cases)('do not count in %s', async (_name, question, text) => {
    const { id } = await settle((await make(texts([text]), '-')).id);
    expect(await find(question, id)).toEqual([text]);
    expect(await ask(id, question)).toContain(text);
  });

  test('count if there is nothing else', async () => {
    const { id } = await settle((await make(texts(['多少钱由店主决定。']), '-')).id);
    expect(await find('多少钱？', id)).toEqual(['多少钱由店主决定。']);
  });
});

test('what a passage was found by is marked as it stands there, in one piece', async () => {
  const text = '每晚四十元的帐篷 and iPhone充电器。';
  const { id } = await settle((await make(texts([text]), '-')).id);
  const marked = async (query: string) =>
    (await search(query, id)).flatMap(({ highlights }) => highlights.map(({ start, end }) => text.slice(start, end)));
  expect(await marked('四十元')).toEqual(['四十元']);
  expect(await marked('iphone充电')).toEqual(['iPhone', '充电']);
});

describe('a question of a single letter', () => {
  const list = [
    '每天供应开水和咖啡。',
    '水库对面可以露营。',
    '帐篷每晚四十元。',
    '毎朝お茶を飲みます。',
    '물과 빵은 무료입니다.',
  ];

  test('finds the words that have it, at their beginning, within them or at their end, and marks it', async () => {
    const { id } = await settle((await make(texts(list), '-')).id);
    expect((await find('水', id)).toSorted()).toEqual([list[0], list[1]].toSorted());
    expect(await find('茶', id)).toEqual([list[3]]);
    expect(await find('물', id)).toEqual([list[4]]);
    expect(await find('露', id)).toEqual([list[1]]);
    expect(await find('火', id)).toEqual([]);
    const [hit] = await search('茶', id);
    const marks = hit?.highlights.map(({ start, end }) => hit.passage.text.slice(start, end));
    expect(marks).toEqual(['茶']);
    expect(await ask(id, '茶？')).toContain('お茶');
  });

  test('finds them also when they were indexed in an older way, once they are indexed anew', async () => {
    const { id } = await settle((await make(texts(['这里的雪很厚。']), '-')).id);
    const { pool } = gateway.handle;
    await pool.query(`DELETE FROM "PassageTerm" WHERE "term" = 'e:雪'`);
    await pool.query(`UPDATE "PassageSegment" SET "analysis" = 2 WHERE "baseId" = $1`, [id]);
    expect([await find('雪', id), await find('雪很厚', id)]).toEqual([[], ['这里的雪很厚。']]);
    const [stale] = (await basesToReindex(gateway.database)).filter(({ baseId }) => baseId === id);
    await reindexBase(gateway.database, stale ?? { workspaceId: '', baseId: '' });
    expect(await find('雪', id)).toEqual(['这里的雪很厚。']);
  });
});

describe('questions of words of grammar', () => {
  test('find what is written in capitals, and what a heading or question says', async () => {
    const faq = { type: 'faq', file: { data: { question: 'Who are we?', answer: 'Three sisters from Porto.' } } };
    const all = [
      'IT repairs laptops, on the second floor.',
      'It is warm in June.',
      'Orders for the US leave on Monday.',
    ];
    const { id } = await settle((await make([...texts(all), faq], '-')).id);
    expect(await find('What is IT?', id)).toEqual([all[0]]);
    expect(await find('When do you ship to the US?', id)).toEqual([all[2]]);
    expect(await find('Who are we?', id)).toEqual(['Three sisters from Porto.']);
    expect(await ask(id, 'What is IT?')).toContain('repairs laptops');
  });

  test.each([
    ['primeiro', 'O primeiro passo da trilha é a ponte.', 'Há uma cabana no fim.'],
    ['mejor', 'La mejor época para la ruta es mayo.', 'Hay una cabaña al final.'],
    ['posible', 'Es posible la reserva por carta.', 'Hay una cabaña al final.'],
  ])('%s says something', async (word, text, other) => {
    const { id } = await settle((await make(texts([text, other]), '-')).id);
    expect(await find(word, id)).toEqual([text]);
  });
});

describe('what was said', () => {
  const said = ['我想退货，怎么办？', '请在十四天内寄回。', 'Is IT open on Monday?'];
  const seen = async (query: string): Promise<string[]> => {
    const document = 'query ($q: String!) { messages(search: $q, first: 10) { nodes { content } } }';
    return (await gateway.data(home.viewer, document, { q: query })).messages.nodes.map(
      (node: { content: string }) => node.content,
    );
  };

  test('is found by a part of it, before it is indexed, after, and when it was indexed in an older way', async () => {
    const { ids } = await seedConversation(gateway, home, said);
    const { pool } = gateway.handle;
    expect(await seen('货')).toEqual([said[0]]);
    expect(await seen('退货')).toEqual([said[0]]);
    await indexAll(gateway, home.id);
    expect(await seen('退货')).toEqual([said[0]]);
    await pool.query(`UPDATE "MessageTerm" SET "term" = 'older' || "term" WHERE "workspaceId" = $1`, [home.id]);
    await pool.query(`UPDATE "MessageSegment" SET "analysis" = 0 WHERE "workspaceId" = $1`, [home.id]);
    await gateway.database.message.deleteMany({ where: { id: ids[1] ?? '' } });
    expect(await workspacesToClean(gateway.database)).toEqual([{ workspaceId: home.id }]);
    await indexAll(gateway, home.id);
    expect(await seen('退货')).toEqual([said[0]]);
    expect(await seen('货')).toEqual([said[0]]);
    expect(await seen('寄回')).toEqual([]);
    expect(await seen('IT monday')).toEqual([said[2]]);
    expect((await pool.query(`SELECT FROM "MessageTerm" WHERE "term" LIKE 'older%'`)).rows).toEqual([]);
    expect(await workspacesToClean(gateway.database)).toEqual([]);
  });
});
