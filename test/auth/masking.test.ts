import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Json, maskSecrets, restoreMasked } from '../../src/domain/shared/masking.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';
import { casesOf } from '../support/random/cases.ts';

const { gateway, home } = useWorkspaces();
let agentId: string;
beforeAll(async () => {
  agentId = (await makeAgent(gateway, home.editor)).id;
});

const harmless = ['domain', 'origins', 'page', 'Phone_Number_Id', 'host', 'port', 'name'];
const key = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme-ascii' }),
  fc.constantFrom(
    'pwd',
    'key',
    'pin',
    'url',
    'user',
    'sid',
    'hook',
    'token',
    'then',
    '__proto__',
    'constructor',
    ...harmless,
  ),
);
const secret = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.startsWith('••••')),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
  fc.webUrl().map((url) => url.replace('://', '://user:pass@')),
);
const leaf = fc.oneof({ weight: 4, arbitrary: secret }, fc.boolean(), fc.constant(null));
const { value: json } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
}));
const credentials = fc.dictionary(key, json, { maxKeys: 6 }) as fc.Arbitrary<{ [key: string]: Json }>;

/** Every text and number in a value, with its path of keys. */
function leaves(value: Json, keys: string[] = []): [Json, string[]][] {
  if (Array.isArray(value)) return value.flatMap((item) => leaves(item, keys));
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([name, item]) => leaves(item, [...keys, name]));
  return [[value, keys]];
}
const isHarmless = (name: string) =>
  harmless.map((each) => each.replaceAll('_', '').toLowerCase()).includes(name.replaceAll(/[_-]/g, '').toLowerCase());

describe('of credentials', () => {
  test('every text and number is masked, whatever its key and depth, but under harmless keys alone', () => {
    fc.assert(
      fc.property(credentials, (given) => {
        const [before, after] = [leaves(given), leaves(maskSecrets(given))];
        expect(after.map(([, keys]) => keys)).toEqual(before.map(([, keys]) => keys));
        for (const [index, [value, keys]] of before.entries()) {
          const [seen] = after[index] ?? [];
          if (value === null || typeof value === 'boolean') expect(seen).toBe(value);
          else if (!keys.every(isHarmless) || /.@/.test(String(value))) expect(seen).toMatch(/^••••.{0,4}$/su);
        }
      }),
      { numRuns: casesOf(300) },
    );
  });

  test('what is read can be sent back, and nothing changes', () => {
    fc.assert(
      fc.property(credentials, (given) => {
        expect(restoreMasked(maskSecrets(given), given)).toEqual(given);
      }),
      { numRuns: casesOf(300) },
    );
  });

  test('and so can lists whose items moved', () => {
    const item = fc.oneof(fc.integer({ min: 1e13, max: 2e13 }), fc.string({ minLength: 20, unit: 'grapheme-ascii' }));
    const unlike = { selector: (value: Json) => JSON.stringify(maskSecrets(value, false)) };
    const list = fc.uniqueArray(fc.oneof(item, fc.record({ id: item, of: fc.tuple(item, item) })), {
      ...unlike,
      maxLength: 8,
    });
    fc.assert(
      fc.property(list, fc.infiniteStream(fc.nat()), (values, order) => {
        const moved = values.map((value) => ({ value, at: order.next().value })).sort((a, b) => a.at - b.at);
        const given = { keys: moved.map(({ value }) => value) as Json };
        expect(restoreMasked(maskSecrets(given), { keys: values as Json })).toEqual(given);
      }),
      { numRuns: casesOf(200) },
    );
  });
});

describe('the credentials of a channel', () => {
  const create = (given: object) =>
    gateway.rest(home.editor, 'POST', `/rest/agents/${agentId}/channels`, { platform: 'slack', credentials: given });
  const read = async (id: string) =>
    (await gateway.data(
      home.viewer,
      `{ channel(id: "${id}") { credentials } channels { nodes { id credentials } } }`,
    )) as {
      channel: { credentials: Json };
      channels: { nodes: { id: string; credentials: Json }[] };
    };
  const update = (id: string, given: object) =>
    gateway.graphql(
      home.editor,
      'mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { channel { credentials } } }',
      {
        input: { id, credentials: given },
      },
    );
  const kept = async (id: string) => {
    const { credentialsCipher } = await gateway.database.channel.findFirstOrThrow({ where: { id } });
    return JSON.parse(gateway.services.secrets.decrypt(credentialsCipher));
  };
  const given = {
    pwd: 'hunter2',
    key: 'a-long-key-of-somebody',
    pin: 123456,
    url: 'https://hooks.example/T0/B0/abcdefgh',
    page: 'shop',
    host: 'smtp://me:hunter2@mail.example',
    port: 587,
    tls: true,
    accounts: [
      { name: 'first', pin: 1111 },
      { name: 'second', pin: 2222 },
    ],
  };
  const shown = {
    pwd: '••••',
    key: '••••body',
    pin: '••••',
    url: '••••efgh',
    page: 'shop',
    host: '••••mple',
    port: 587,
    tls: true,
    accounts: [
      { name: '••••', pin: '••••' },
      { name: '••••', pin: '••••' },
    ],
  };

  test('are masked in every answer, and stay when they are sent back', async () => {
    const { body } = await create(given);
    expect(body.credentials).toEqual(shown);
    const answer = await read(body.id);
    expect(answer.channel.credentials).toEqual(shown);
    expect(answer.channels.nodes.find(({ id }) => id === body.id)?.credentials).toEqual(shown);
    const { data } = await update(body.id, { ...shown, page: 'other' });
    expect(data.updateChannel.channel.credentials).toEqual({ ...shown, page: 'other' });
    expect(await kept(body.id)).toEqual({ ...given, page: 'other' });
  });

  test('are refused with a mask that stands for no value, or for several', async () => {
    const { id } = (await create(given)).body;
    expectFailure(await update(id, { other: '••••body' }), 'invalid_request', /^credentials\.other: is masked/);
    expectFailure(await update(id, { page: '••••' }), 'invalid_request', /^credentials\.page/);
    expectFailure(await update(id, { accounts: [shown.accounts[0]] }), 'invalid_request', /^credentials\.accounts\.0/);
    expect(await kept(id)).toEqual(given);
  });

  test('are restored in a moment, however many of their items were changed', () => {
    const old = { keys: Array.from({ length: 2_000 }, () => ({ a: 1 })) };
    const sent = { keys: Array.from({ length: 800 }, () => ({ a: '••••', b: '••••' })) };
    const attempts = vi.spyOn(Object, 'hasOwn');
    expect(() => restoreMasked(sent, old)).toThrow(/keys\.0: is masked/);
    expect(attempts.mock.calls.length).toBeLessThan(10_000);
    attempts.mockRestore();
  });
});
