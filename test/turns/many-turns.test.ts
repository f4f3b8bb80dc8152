import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ParleyError } from '../../src/core/errors.ts';
import { useLedger } from '../support/conversations/ledger.ts';
import { say } from '../support/conversations/streaming.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';

const { gateway, world, send, ask, stored, usage } = useLedger();

const max = 40;
const stopping = 'mutation ($id: ID!) { stopTurn(input: { conversationId: $id }) { conversation { id } } }';
const regenerating = `mutation ($input: SendMessageInput!) {
  sendMessage(input: $input) { messages { id metadata content } }
}`;
/** The possible results for a sender: a reply, or an error code. */
const codes = new Set([null, 'model_error', 'conflict', 'usage_limit_exceeded', 'conversation_busy']);
type Told = { code: string | null; said: string | null; reply?: { id: string; content: string; metadata: object } };

/** The model fails, or speaks until stopped, if the last question says so. */
function speakAsAsked(): void {
  const { stream } = world.scripted.service;
  const moody: typeof stream = async (request, onText) => {
    const question = request.history.findLast(({ role }) => role === 'user')?.content ?? '';
    if (question.startsWith('fail')) throw new ParleyError('model_error', 'The model failed.');
    if (question.startsWith('long')) {
      onText('Begun');
      // Both conversations receive repeated stop requests.
      if (request.signal && !request.signal.aborted) await once(request.signal, 'abort');
    }
    const reply = await stream(request, question.startsWith('long') ? () => {} : onText);
    if (!question.startsWith('long')) return reply;
    return { ...reply, content: 'Begun', finish: request.signal?.aborted ? 'stopped' : 'stop' };
  };
  for (const services of [gateway.services, world.replica.services])
    services.model = { ...services.model, stream: moody };
}

test('64 senders on two replicas, some of whom fail, stop and regenerate, leave a total order and an exact count', async () => {
  speakAsAsked();
  const home = await makeWorkspace(gateway, max);
  const { id: agentId } = await makeAgent(gateway, home.editor);
  const options = { viewer: home.app, agentId };
  const ids = [
    (await send(say('Start 1'), options)).body.id as string,
    (await send(say('Start 2'), options)).body.id as string,
  ] as const;
  let done = false;
  let highest = 0;
  const watch = async () => {
    while (!done) {
      for (const id of ids) await ask(home.app, stopping, { id });
      highest = Math.max(highest, await usage(home.viewer));
      await sleep(50);
    }
  };

  async function sendOne(index: number): Promise<Told> {
    const id = ids[index % 2] as string;
    const via = index % 4 < 2 ? gateway.app.request : world.replica.fetch;
    if (index % 8 === 7) {
      const last = (await stored(id)).at(-1);
      const input = { agentId, conversationId: id, regenerate: last?.id };
      const { data, errors } = await ask(home.app, regenerating, { input }, via);
      const code = errors?.[0]?.extensions.code ?? null;
      return { code, said: null, reply: data?.sendMessage?.messages.at(-1) };
    }
    const said = `${['plain', 'fail', 'long', 'plain'][Math.floor(index / 2) % 4]} ${index}`;
    const { status, body } = await send(say(said, { id }), { ...options, via });
    return { code: status === 200 ? null : body.code, said, reply: body.messages?.at(-1) };
  }
  const watching = watch();
  const told = await Promise.all(Array.from({ length: 64 }, (_, index) => sendOne(index)));
  done = true;
  await watching;

  expect(told.filter(({ code }) => !codes.has(code))).toEqual([]);
  const rows = [...(await stored(ids[0])), ...(await stored(ids[1]))];
  for (const id of ids) {
    const own = rows.filter(({ conversationId }) => conversationId === id);
    expect(own.map(({ position }) => position)).toEqual(own.map((_, place) => place));
    const where = { id };
    expect(await gateway.database.conversation.findFirst({ where })).toMatchObject({
      messageCount: own.length,
      turnId: null,
    });
  }
  const heard = rows.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  const kept = told.filter(({ said, code }) => said && code !== 'conversation_busy').map(({ said }) => said);
  expect(heard.toSorted()).toEqual(['Start 1', 'Start 2', ...kept].toSorted());
  // A reply is in its place, or was regenerated since.
  const replies = told.flatMap(({ reply }) => (reply ? [reply] : []));
  const older = await gateway.database.messageAlternative.findMany({ where: { conversationId: { in: [...ids] } } });
  const all = [...rows, ...older].map(({ id }) => id);
  for (const { id } of replies) expect(all.filter((one) => one === id)).toHaveLength(1);
  const earned = await gateway.database.turn.count({
    where: { workspaceId: home.id, month: { not: null }, state: { not: 'failed' } },
  });
  const paid = replies.filter(({ content }) => content).length;
  expect([await usage(home.viewer), earned]).toEqual([2 + paid, 2 + paid]);
  expect(highest).toBeLessThanOrEqual(max);
  expect(await gateway.database.turn.count({ where: { workspaceId: home.id, state: 'open' } })).toBe(0);
  expect(paid).toBeGreaterThan(0);
});
