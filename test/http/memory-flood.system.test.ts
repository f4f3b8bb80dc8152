import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KillWorld, openKillWorld } from '../support/faults/kill-world.ts';
import { ownerToken } from '../support/gateway/gateway-process.ts';

let world: KillWorld;
beforeAll(async () => {
  world = await openKillWorld({});
});
afterAll(() => world.close());

test('a gateway of little memory lives through operations that fill every cache', async () => {
  Object.assign(world.env, { NODE_OPTIONS: '--max-old-space-size=256' });
  const gateway = await world.start();
  const { NODE_OPTIONS: _, ...plain } = world.env;
  const headers = { authorization: `Bearer ${await ownerToken(plain)}`, 'content-type': 'application/json' };
  const ask = async (query: string, variables: object = {}) => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query, variables }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  // All of this was once kept: 320 MB of comments, validation errors, plans of many variants of an operation.
  for (let index = 0; index < 320; index++) await ask(`{ viewer { role } } #${index}${'x'.repeat(1_000_000)}`);
  for (let index = 0; index < 40; index++) await ask(`{ viewer { ${'role '.repeat(300)} x${index} ${unknown} } }`);
  for (let index = 0; index < 40; index++) await ask(varied, chosen(index));
  expect(await ask('{ viewer { role } }')).toBe(200);
  expect([gateway.child.exitCode, gateway.child.signalCode]).toEqual([null, null]);
}, 600_000);

const unknown = Array.from({ length: 100 }, (_, index) => `unknown${index}`).join(' ');
const conditions = [0, 1, 2, 3, 4, 5, 6];
const row = 'id title messages(first: 3) { nodes { id content } } lead { id name email custom }';
const varied =
  `query (${conditions.map((bit) => `$v${bit}: Boolean!`).join(' ')}) { conversations(first: 2) { nodes { id ` +
  `${conditions.map((bit) => `... @include(if: $v${bit}) { a${bit}: title ${row} }`).join(' ')} } } }`;
const chosen = (index: number) => Object.fromEntries(conditions.map((bit) => [`v${bit}`, (index >> bit) % 2 === 1]));
