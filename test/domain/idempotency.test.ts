import { describe, expect, test } from 'vitest';
import type { Gateway } from '../support/gateway/app.ts';
import { useGateway } from '../support/gateway/app.ts';
import { changeOf, heldBy, isInProgress, type RawReply, send, sendWithKey } from '../support/gateway/with-key.ts';
import { documentOf, rootFields } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { operations, type RestRequest, requests } from '../support/rest/operations.ts';
import { variablesOf } from '../support/world/inputs.ts';
import type { World } from '../support/world/world.ts';

const gateway = useGateway();

type Ask = (world: World, key: string | null, said?: string) => Promise<RawReply>;

/**
 * Sends a request three times at once and then again: it must be executed once, with the same response
 * byte for byte. The same key with another request must be refused.
 */
async function expectOnce(gateway: Gateway, ask: Ask): Promise<void> {
  const plain = await changeOf(gateway, (world) => ask(world, null));
  const told: RawReply[] = [];
  const { world, change, held } = await changeOf(gateway, async (world) => {
    told.push(...(await Promise.all([1, 2, 3].map(() => ask(world, 'k')))));
  });
  expect(change).toEqual(plain.change);
  const [first, ...others] = told.filter((each) => !isInProgress(each));
  expect(first).toMatchObject({ status: 200 });
  expect(first?.text).not.toContain('"errors"');
  for (const other of others) expect(other).toEqual(first);
  expect(await ask(world, 'k')).toEqual(first);
  expect((await heldBy(gateway, world)).held).toEqual(held);
  const other = await ask(world, 'k', 'other');
  expect(other.text).toContain('"idempotency_key_reused"');
  expect((await heldBy(gateway, world)).held).toEqual(held);
}

describe('carried out once, whoever asks how often with one Idempotency-Key, is', () => {
  const mutations = rootFields('Mutation').map((field) => [field.name, field] as const);
  test.each(oneOfEach(mutations, ([name]) => verbOf(name)))('%s', async (_, field) => {
    const query = documentOf('Mutation', field);
    const variables = new WeakMap<World, object>();
    await expectOnce(gateway, (world, key, said = '') => {
      // Memoized, since some inputs are new on each call.
      const given = variables.get(world) ?? variablesOf(field, world.ids);
      variables.set(world, given);
      return sendWithKey(gateway, world.owner, key, { query: `${query}${said && `# ${said}`}`, variables: given });
    });
  });

  const writes = operations.filter(({ method }) => method !== 'GET');
  const called = writes.map((operation) => [operation.operationId, operation] as const);
  test.each(oneOfEach(called, ([, { method }]) => method))('REST %s', async (id, { method, path }) => {
    const request = requests[id] as (ids: World['ids']) => RestRequest;
    await expectOnce(gateway, (world, key, said = '') => {
      const { path: names = {}, body } = request(world.ids);
      const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
      // Turns compare by content; everything else also by its whole path.
      const text = said && id === 'sendMessage' ? JSON.stringify({ message: { content: said } }) : JSON.stringify(body);
      return send(gateway, world.owner, key, said ? `${address}?said=${said}` : address, { method, body: text });
    });
  });
});
