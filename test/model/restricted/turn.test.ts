import { beforeAll, expect, test } from 'vitest';
import { startJobs } from '../../../src/jobs/start.ts';
import { readEvents, textOf } from '../../support/conversations/event-stream.ts';
import { isText, say, useStreaming } from '../../support/conversations/streaming.ts';
import { makeAgent } from '../../support/gateway/factories.ts';

const { world, post } = useStreaming();
let agentId: string;

/** A restricted agent with one fact. */
beforeAll(async () => {
  const { gateway, home } = world;
  agentId = (await makeAgent(gateway, home.editor, { freedom: 'restricted', instructions: 'Be brief.' })).id;
  await startJobs(gateway.services).started;
  const source = {
    type: 'faq',
    file: { data: { question: 'When do you open?', answer: 'We open at nine, every day.' } },
  };
  const create = 'mutation ($input: CreateBaseInput!) { createBase(input: $input) { base { id } } }';
  const { createBase } = await gateway.data(home.editor, create, { input: { description: 'Shop', sources: [source] } });
  const attach = 'mutation ($input: AttachBaseInput!) { attachBase(input: $input) { agent { id } } }';
  await gateway.data(home.editor, attach, { input: { agentId, baseId: createBase.base.id } });
  await gateway.services.queue.idle();
});

test('a sentence is streamed when it is known to rest on something, and a made up one never', async () => {
  const response = post(say('When do you open?'), { agentId });
  const call = await world.model.next();
  call.say('Hello! Paris is the capital of France. We open at nine [1 "open at nine"]. And');
  const events = readEvents(await response);
  const heard = await events.until((event) => isText(event) && event.data.delta.includes('[1]'));
  expect(textOf(heard)).toBe('Hello! When do you open? We open at nine, every day [1].');
  call.say(' it costs 99 euros.');
  call.end();
  const all = [...heard, ...(await events.rest())];
  expect(JSON.stringify(all)).not.toMatch(/Paris|99 euros/);
  const { id, messages } = all.at(-2)?.data.data ?? {};
  expect(messages[0]).toMatchObject({ content: 'Hello! When do you open? We open at nine, every day [1].' });
  expect(textOf(all)).toBe(messages[0].content);
  const trace =
    'query ($id: ID!) { message(id: $id) { content references { quote } trace { withheld checks { statement outcome decidedBy passageIds } } } }';
  const { message } = await world.gateway.data(world.home.editor, trace, { id: messages[0].id });
  expect(message).toEqual({
    content: messages[0].content,
    references: [{ quote: expect.stringContaining('We open at nine') }],
    trace: {
      withheld: 2,
      checks: [
        { statement: 'Paris is the capital of France.', outcome: 'withheld', decidedBy: null, passageIds: [] },
        { statement: 'We open at nine.', outcome: 'quoted', decidedBy: 'wording', passageIds: [expect.any(String)] },
        { statement: 'And it costs 99 euros.', outcome: 'withheld', decidedBy: null, passageIds: [] },
      ],
    },
  });

  // The next prompt contains only what was delivered.
  const next = post(say('And on Sundays?', { id }), { agentId });
  const second = await world.model.next();
  expect(JSON.stringify(second.body)).not.toMatch(/Paris/);
  second.say('Sundays are for sleeping.');
  second.end();
  const answer = (await readEvents(await next).rest()).at(-2)?.data.data;
  expect(answer.messages[0].content).toBe("I don't know: I found nothing about that in my knowledge base.");
});

test('REST and the graph answer alike, where nothing of a reply is left', async () => {
  const lie = async (asked: Promise<unknown>) => {
    const call = await world.model.next();
    call.say('Quarks are green.');
    call.end();
    return asked;
  };
  const { gateway, home } = world;
  const rest = (await lie(gateway.rest(home.app, 'POST', `/api/${agentId}`, say('What is a quark?')))) as {
    body: { messages: { content: string; metadata: object }[] };
  };
  const send =
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messages { content references { quote } } } }';
  const input = { agentId, message: { content: 'O que é um quark?' } };
  const graph = (await lie(gateway.data(home.app, send, { input }))) as { sendMessage: { messages: object[] } };
  expect(rest.body.messages[0]).toMatchObject({
    content: expect.stringMatching(/^I don't know/),
    metadata: { references: [] },
  });
  expect(graph.sendMessage.messages).toMatchObject([{ content: expect.stringMatching(/^Não sei/), references: [] }]);
});
