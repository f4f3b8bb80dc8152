import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { useKnowledge } from '../support/knowledge/knowledge.ts';
import { useSite } from '../support/knowledge/site.ts';

const gateway = useGateway();
const { home, make, settle } = useKnowledge(gateway, useSite());

const texts = (list: string[]) => list.map((text) => ({ type: 'file', file: { data: { text } } }));
const filled = async (list: string[]) => (await settle((await make(texts(list), '-')).id)).id as string;

async function find(query: string, id: string): Promise<string[]> {
  const document = `query ($query: String!, $id: ID!) {
    searchPassages(query: $query, baseIds: [$id], first: 20) { nodes { passage { text } } } }`;
  const { searchPassages } = await gateway.data(home.viewer, document, { query, id });
  return searchPassages.nodes.map(({ passage }: { passage: { text: string } }) => passage.text);
}

/** Holiday sentences that match no passage of these tests. */
const story = Array.from(
  { length: 12 },
  (_, n) => `On day ${n} we saw castle${n}, bridge${n}, market${n} and garden${n}.`,
);

describe('a long message', () => {
  test('finds by its question, which stands behind more words than are looked for', async () => {
    const list = ['Lost umbrellas are kept at the porter for a month.', 'Breakfast is served until eleven.'];
    const id = await filled(list);
    expect(await find(`${story.join(' ')} Where are lost umbrellas kept?`, id)).toEqual([list[0]]);
  });

  test('of which every word is known finds by the rare ones', async () => {
    const common = story.map((sentence) => `${sentence} Bring shoes.`);
    const id = await filled([...common, ...common.map((text) => `${text} Again.`), 'The funicular closes in January.']);
    expect((await find(`${story.join(' ')} Does the funicular run in January?`, id))[0]).toBe(
      'The funicular closes in January.',
    );
  });

  test('finds what it asks before what it tells', async () => {
    const list = ['The sauna is heated on Fridays.', 'The canoe is stored in the shed.'];
    const id = await filled(list);
    expect(await find('We stored the canoe. When is the sauna heated?', id)).toEqual([list[0], list[1]]);
    expect(await find('We heated the sauna. Where is the canoe stored?', id)).toEqual([list[1], list[0]]);
  });

  test('finds by the word that it repeats', async () => {
    const list = ['The lantern needs paraffin and care.', 'The stove needs petrol and care.'];
    const id = await filled(list);
    expect((await find('lantern or stove, the stove I mean, the stove', id))[0]).toBe(list[1]);
  });
});

test('a word in the form of the question comes before another with its stem', async () => {
  const list = ['O registro geral guarda os dados da secretaria.', 'Os registradores guardam os dados do processador.'];
  const id = await filled(list);
  expect((await find('Para que servem os registradores?', id))[0]).toBe(list[1]);
});

describe('a misspelt word', () => {
  test('is mended when other words of the question find something', async () => {
    const list = ['The ferry to Ostrava leaves at nine.', 'The ferry to Lisbon leaves at ten.', 'The ferry is blue.'];
    const id = await filled(list);
    expect((await find('when does the ferry to Ostrva leave', id))[0]).toBe(list[0]);
    expect((await find('when does the ferry to Lisbno leave', id))[0]).toBe(list[1]);
  });

  test('is looked for among what was written and removed since the last search', async () => {
    const id = await filled(['Periwinkles flower in May.']);
    expect(await find('chrysanthenum', id)).toEqual([]);
    const more = { type: 'file', file: { data: { text: 'Chrysanthemums flower in autumn.' } } };
    const add = 'mutation ($input: AddSourceInput!) { addSource(input: $input) { source { id } } }';
    const { id: source } = (await gateway.data(home.editor, add, { input: { baseId: id, ...more } })).addSource.source;
    await settle(id);
    expect(await find('chrysanthenum', id)).toEqual(['Chrysanthemums flower in autumn.']);
    const remove = 'mutation ($input: DeleteSourceInput!) { deleteSource(input: $input) { source { id } } }';
    await gateway.data(home.editor, remove, { input: { id: source } });
    expect(await find('chrysanthenum', id)).toEqual([]);
  });
});

describe('a follow-up', () => {
  const list = [
    'In Norway parcels arrive after four days.',
    'In Iceland parcels arrive after nine days.',
    'Our shop in Iceland opens at noon.',
  ];

  test.each([
    ['How long do parcels take to arrive in Norway?', 'And in Iceland?', 'nine days'],
    ['Quanto tempo os parcels levam para Norway?', 'E para Iceland?', 'nine days'],
  ])('%s %s is answered by both', async (first, second, answer) => {
    const baseId = await filled(list);
    const agent = `mutation ($input: CreateAgentInput!) { createAgent(input: $input) { agent { id } } }`;
    const { id } = (await gateway.data(home.editor, agent, { input: { name: 'Ada' } })).createAgent.agent;
    const attach = 'mutation ($input: AttachBaseInput!) { attachBase(input: $input) { agent { id } } }';
    await gateway.data(home.editor, attach, { input: { agentId: id, baseId } });
    const send = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) {
      conversation { id } messages { content trace { retrieval { query found { nodes { passage { text } } } } } } } }`;
    const say = async (content: string, conversationId?: string) =>
      (await gateway.data(home.editor, send, { input: { agentId: id, conversationId, message: { content } } }))
        .sendMessage;
    const { conversation } = await say(first);
    const { messages } = await say(second, conversation.id);
    expect(messages[0].trace.retrieval.query).toBe(`${first}\n${second}`);
    expect(messages[0].trace.retrieval.found.nodes[0].passage.text).toContain(answer);
    // A question that stands alone is searched alone.
    const { messages: others } = await say('When does the shop open?', conversation.id);
    expect(others[0].trace.retrieval.query).toBe('When does the shop open?');
  });
});
