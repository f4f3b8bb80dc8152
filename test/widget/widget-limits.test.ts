import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { allowances, clearWidgetLimits } from '../../src/domain/widget/limits.ts';
import { openWidgets, type Widget } from '../support/browser/widget.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import type { Gateway } from '../support/gateway/app.ts';

let world: Awaited<ReturnType<typeof openWidgets>>;
let widget: Widget;
let clock = 0;
beforeAll(async () => {
  world = await openWidgets({ TRUSTED_PROXIES: '10.0.0.0/8, fd00::1' });
  widget = await world.make();
  // A stopped clock, which only the tests advance.
  const begun = Date.now();
  world.gateway.services.now = () => new Date(begun + clock);
});
afterAll(() => world.gateway.close());
beforeEach(() => {
  // The limits used by the previous test have expired.
  clock += 61_000;
});

const key = () => crypto.randomUUID();
/** Sends a message; returns the status once the reply is complete. */
async function ask(bearer: string, headers: Record<string, string> = {}, more: object = {}): Promise<number> {
  const body = { content: 'Again' };
  const response = await world.call('POST', '/widget/messages', { bearer, body, headers, ...more });
  await response.text();
  return response.status;
}
const invented = () => ({ 'idempotency-key': key(), 'last-event-id': `msg_${'0'.repeat(26)}.0` });

describe('a visitor may ask so often in a minute', () => {
  test('and is told when it may again', async () => {
    const { token } = await world.enter(widget);
    for (let asked = 0; asked < allowances.visitor; asked++) expect(await ask(token)).toBe(200);
    const response = await world.ask(token, { content: 'Too much' });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect([response.status, await response.json()]).toMatchObject([429, { code: 'rate_limited' }]);
    clock += 61_000;
    expect(await ask(token)).toBe(200);
  });

  test('and no oftener by events that it invents', async () => {
    const { token } = await world.enter(widget);
    const statuses: number[] = [];
    for (let asked = 0; asked <= allowances.visitor; asked++) statuses.push(await ask(token, invented()));
    expect(statuses).toEqual([...Array(allowances.visitor).fill(200), 429]);
  });

  test('at however many replicas', async () => {
    const replicas = [1, 2].map(() => createApp(world.gateway.services, async () => null) as unknown as Gateway['app']);
    const { token } = await world.enter(widget);
    const asking = Array.from({ length: allowances.visitor + 5 }, async (_, index) =>
      world.call('POST', '/widget/messages', { bearer: token, body: {}, app: replicas[index % 2] }),
    );
    // Without text they are refused, but still counted.
    const statuses = (await Promise.all(asking)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(allowances.visitor).fill(400), ...Array(5).fill(429)]);
  });

  test('and takes up what is being answered as often as it must', async () => {
    const { token } = await world.enter(widget);
    const events = await readEvents(await world.ask(token, { content: 'Drop' })).rest();
    const after = { 'last-event-id': events[0]?.id ?? '' };
    for (let taken = 0; taken < allowances.visitor; taken++) {
      const resumed = await readEvents(await world.ask(token, { content: 'Drop' }, after)).rest();
      expect(resumed).toHaveLength(events.length - 1);
    }
    expect(await ask(token)).toBe(200);
  });

  test('while what is over is forgotten', async () => {
    const { token } = await world.enter(widget);
    await ask(token);
    const windows = () => world.gateway.database.widgetWindow.count();
    expect(await windows()).toBeGreaterThan(0);
    clock += 61_000;
    await clearWidgetLimits(world.gateway.services);
    expect(await windows()).toBe(0);
  });
});

describe('a network address lets in so many visitors in a minute', () => {
  /** Uses up the limit at one address, and returns whether another address is affected. */
  async function shares(one: Caller, other: Caller): Promise<boolean> {
    const body = { channel: widget.token };
    const enter = async ({ peer, forwarded }: Caller) => {
      const headers: Record<string, string> = forwarded ? { 'x-forwarded-for': forwarded } : {};
      return (await world.call('POST', '/widget/session', { body, headers, peer })).status;
    };
    for (let entered = 0; entered < allowances.enter; entered++) expect(await enter(one)).toBe(200);
    expect(await enter(one)).toBe(429);
    return (await enter(other)) === 429;
  }
  type Caller = { peer: string; forwarded?: string };

  test.each<[string, Caller, Caller, boolean]>([
    ['two addresses', { peer: '203.0.113.1' }, { peer: '203.0.113.2' }, false],
    ['IPv4 and the same inside IPv6', { peer: '203.0.113.3' }, { peer: '::ffff:203.0.113.3' }, true],
    ['one network of IPv6', { peer: '2001:db8:1:2::1' }, { peer: '2001:db8:1:2:ffff::9' }, true],
    ['two networks of IPv6', { peer: '2001:db8:1:3::1' }, { peer: '2001:db8:1:4::1' }, false],
    ['whoever names another', { peer: '203.0.113.4' }, { peer: '203.0.113.4', forwarded: '198.51.100.1' }, true],
    [
      'a private one that is no proxy of ours',
      { peer: '192.168.0.9' },
      { peer: '192.168.0.9', forwarded: '::2' },
      true,
    ],
    ['two behind a proxy', at('198.51.100.2'), at('198.51.100.3'), false],
    ['one behind a proxy, which names others before', at('198.51.100.4'), at('1.1.1.1, 198.51.100.4:4711'), true],
    ['one behind two proxies', at('198.51.100.5'), at('198.51.100.5, 10.9.9.9', 'fd00::1'), true],
    ['a proxy that names nobody', { peer: '10.0.0.8' }, at('unknown', '10.0.0.8'), true],
  ])('%s', async (_what, one, other, shared) => {
    expect(await shares(one, other)).toBe(shared);
  });

  function at(forwarded: string, peer = '10.0.0.1'): Caller {
    return { peer, forwarded };
  }
});
