import { afterEach, describe, expect, test, vi } from 'vitest';
import { readEvents, textOf } from '../support/conversations/event-stream.ts';
import { useLedger } from '../support/conversations/ledger.ts';
import { isText, say, types } from '../support/conversations/streaming.ts';
import { beginOutage, refused } from '../support/database/outage.ts';

const { gateway, world, post, send, stored, turnOf, usage } = useLedger();
afterEach(() => void vi.restoreAllMocks());

/** A keyed turn whose model has said "One" and continues. */
async function begun(key: string, stream: boolean) {
  world.scripted.held = true;
  const response = post(say(key), { key, stream });
  const call = await world.scripted.next();
  call.say('One');
  return { response, call };
}
const replayed = async (key: string) =>
  readEvents(await post(say(key), { key, stream: true, via: world.replica.fetch })).rest();

describe('while the database cannot be reached', () => {
  test('a streamed answer goes on, is stored when it is back, and reads the same on any replica', async () => {
    const before = await usage();
    const { response, call } = await begun('outage', true);
    const events = readEvents(await response);
    const first = await events.until(isText);
    const outage = beginOutage(gateway);
    call.say(' two');
    expect((await events.until(isText)).at(-1)?.data.delta).toBe(' two');
    call.end();
    await expect.poll(outage.refusals).toBeGreaterThan(3);
    outage.end();
    const rest = await events.rest();
    expect(types(rest)).toEqual(['text-end', 'finish', 'data-turn', '[DONE]']);
    const [all] = [await replayed('outage')];
    expect(textOf(all)).toBe('One two');
    expect(all.at(0)).toEqual(first.at(0));
    expect(all.slice(-4)).toEqual(rest);
    const { conversationId } = await turnOf('outage');
    expect((await stored(conversationId)).map(({ content }) => content)).toEqual(['outage', 'One two']);
    expect(await usage()).toBe(before + 1);
  });

  test('an answer in one body waits for it', async () => {
    const { response, call } = await begun('blip', false);
    const outage = beginOutage(gateway);
    call.end();
    await expect.poll(outage.refusals).toBeGreaterThan(1);
    outage.end();
    const { messages } = (await (await response).json()) as { messages: object[] };
    expect(messages).toMatchObject([{ content: 'One' }]);
  });

  test('a failure is told to its reader, and to whoever reads it again, at the same place', async () => {
    const { response, call } = await begun('failed', true);
    const events = readEvents(await response);
    const first = await events.until(isText);
    const outage = beginOutage(gateway);
    call.say(' two');
    call.fail();
    await expect.poll(outage.refusals).toBeGreaterThan(1);
    outage.end();
    const rest = await events.rest();
    expect(types(rest)).toEqual(['text-delta', 'error', '[DONE]']);
    const resumed = await post(say('failed'), { via: world.replica.fetch, stream: true, after: first.at(-1)?.id });
    expect(await readEvents(resumed).rest()).toEqual(rest);
  });
});

test('an answer that the database kept without saying so is told to the reader to its end', async () => {
  const { response, call } = await begun('unsaid', true);
  const events = readEvents(await response);
  const first = await events.until(isText);
  const begin = gateway.database.$transaction.bind(gateway.database);
  const unsaid = vi.spyOn(gateway.database, '$transaction').mockImplementationOnce(async (...given: unknown[]) => {
    await begin(...(given as Parameters<typeof begin>));
    throw refused();
  });
  call.end();
  const rest = await events.rest();
  unsaid.mockRestore();
  expect(types(rest)).toEqual(['text-end', 'finish', 'data-turn', '[DONE]']);
  expect(await replayed('unsaid')).toEqual([...first, ...rest]);
  expect((await send(say('unsaid'), { key: 'unsaid' })).body).toEqual(rest[2]?.data.data);
});
