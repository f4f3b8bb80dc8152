import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { seedConversation } from '../support/conversations/seeded-conversation.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home } = useWorkspaces();
const ways = ['compiled', 'resolvers'] as const;
let bothWays: BothWays;
let id: string;
const allowed = limits.response;
beforeAll(async () => {
  // Less to make than what the limit is, which takes a slow machine long.
  Object.assign(limits, { response: 1_000_000 });
  bothWays = new BothWays(gateway);
  const texts = ['a', 'b'].map((letter) => letter.repeat(32_000));
  id = (await seedConversation(gateway, home, texts)).conversationId;
});

afterAll(() => void Object.assign(limits, { response: allowed }));

test('a response has 50 MB at most', () => expect(allowed).toBe(50_000_000));

const times = (count: number) => Array.from({ length: count }, (_, at) => `c${at}: content`).join(' ');
const messagesOf = (count: number) => `messages(first: 2) { nodes { ${times(count)} } }`;
const tooLarge = /^The response is larger than 1 MB: ask for smaller pages \(first\), or for fewer long fields\./;

describe.each(ways)('a response that would be larger than 1 MB (%s)', (by) => {
  const ask = async (query: string, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    const sent = { ...init, body: JSON.stringify({ query, variables: /\$id/.test(query) ? { id } : {} }) };
    const { status, body } = await bothWays.send(by, home.owner, '/graphql', sent);
    return { status, body };
  };
  const ofConversation = (count: number) => `query ($id: ID!) { conversation(id: $id) { ${messagesOf(count)} } }`;

  test('is refused, and one that is a little smaller is not', async () => {
    const { status, body } = await ask(ofConversation(20));
    expect(body.length).toBeLessThan(1_000);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toEqual({
      errors: [
        {
          message: expect.stringMatching(tooLarge),
          extensions: { code: 'invalid_request', issues: [{ message: expect.stringMatching(tooLarge) }] },
        },
      ],
    });
    const smaller = await ask(ofConversation(14));
    expect([smaller.status, smaller.body.length > 880_000]).toEqual([200, true]);
  });

  test.each([
    ['of several bytes', '漢', 6],
    ['that JSON escapes', '\n', 9],
    ['that JSON writes out', '\u0001', 3],
  ])('is measured in bytes, whatever its characters (%s)', async (_what, character, tooMany) => {
    const { conversationId } = await seedConversation(gateway, home, ['a', character.repeat(32_000)]);
    const query = (count: number) =>
      `{ conversation(id: "${conversationId}") { messages(first: 2) { nodes { ${times(count)} } } } }`;
    for (const [count, isRefused] of [
      [2 * tooMany, true],
      [tooMany - 1, false],
    ] as const) {
      const { errors } = JSON.parse((await ask(query(count))).body);
      if (isRefused) expect(errors[0].message).toMatch(tooLarge);
      else expect(errors).toBeUndefined();
    }
  });

  test('is refused to a mutation as well', async () => {
    const query = `mutation ($id: ID!) { updateConversation(input: { id: $id, title: "Seen" }) { conversation { ${messagesOf(20)} } } }`;
    const { body } = await ask(query);
    expect(body.length).toBeLessThan(1_000);
    expect(JSON.parse(body).errors[0].message).toMatch(tooLarge);
  });

  test.each(['multipart/mixed', 'text/event-stream'])('is refused in parts as well (%s)', async (accept) => {
    const query = `query ($id: ID!) { conversation(id: $id) { ${messagesOf(20)} ... @defer { title } } }`;
    const { body } = await ask(query, { accept });
    expect(body.length).toBeLessThan(2_000);
    expect(body).toMatch(/The response is larger than 1 MB/);
  });

  test('is not made by long aliases or labels', async () => {
    const name = 'x'.repeat(201);
    const said = 'An alias or label has 201 characters: 200 are the maximum.';
    for (const query of [
      `{ ${name}: __typename viewer { role } }`,
      `{ leads { nodes { ${name}: id } } }`,
      `{ leads { nodes { ...F } } } fragment F on Lead { ${name}: id }`,
      `{ leads { nodes { id ... @defer(label: "${name}") { name } } } }`,
    ]) {
      expect(JSON.parse((await ask(query)).body).errors[0].message, query).toBe(said);
    }
    const { body } = await ask(`{ ${name.slice(1)}: leads { totalCount } }`);
    expect(JSON.parse(body)).toEqual({ data: { [name.slice(1)]: { totalCount: 0 } } });
  });
});
