import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectFailure, type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { startOpenAiServer } from '../support/model/openai-server.ts';

let server: Awaited<ReturnType<typeof startOpenAiServer>>;
let gateway: Gateway;
let home: TestWorkspace;
beforeAll(async () => {
  server = await startOpenAiServer('key');
  gateway = await openGateway({ MODEL_BASE_URL: server.baseUrl, MODEL_NAME: 'writer', MODEL_API_KEY: 'key' });
  home = await makeWorkspace(gateway);
});
afterAll(() => Promise.all([server.close(), gateway.close()]));

const generate = `mutation ($input: GenerateCopyInput!) {
  generateCopy(input: $input) { copies { id promptId completionId content workspaceId } }
}`;
const written = async () => (await gateway.data(home.owner, '{ usage { current } }')).usage.current as number;

describe('generateCopy', () => {
  test('records several copies of one completion, which REST lists by the prompt', async () => {
    const before = await written();
    server.next({ content: 'Sleep under stars.' }, { content: 'Wake by the lake.' });
    const input = { promptId: 'camp', prompt: 'A line for a camp site', copies: 2 };
    const { copies } = (await gateway.data(home.editor, generate, { input })).generateCopy;
    expect(copies).toHaveLength(2);
    expect(new Set(copies.map(({ completionId }: { completionId: string }) => completionId)).size).toBe(1);
    expect(await written()).toBe(before + 1);
    const { body } = await gateway.rest(home.viewer, 'GET', '/rest/copywriting/camp');
    expect(body.data.map(({ content }: { content: string }) => content).sort()).toEqual([
      'Sleep under stars.',
      'Wake by the lake.',
    ]);
    expect(server.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'user', content: 'A line for a camp site' });
  });

  test('writes as an agent is told to', async () => {
    const agent = await makeAgent(gateway, home.editor, { instructions: 'Write like a pirate.' });
    server.next({ content: 'Arr.' });
    const input = { promptId: 'pirate', prompt: 'Greet', copies: 1, agentId: agent.id };
    await gateway.data(home.editor, generate, { input });
    expect(JSON.stringify(server.requests.at(-1)?.messages[0])).toContain('Write like a pirate.');
  });

  test('is not held to what a restricted agent may tell visitors: who asks for copy reads it first', async () => {
    const agent = await makeAgent(gateway, home.editor, { freedom: 'restricted' });
    server.next({ content: 'Sleep under a thousand stars.' });
    const input = { promptId: 'restricted', prompt: 'A line for a camp site', copies: 1, agentId: agent.id };
    const { copies } = (await gateway.data(home.editor, generate, { input })).generateCopy;
    expect(copies).toMatchObject([{ content: 'Sleep under a thousand stars.' }]);
  });

  test('keeps the copies that came when others failed', async () => {
    server.next({ content: 'One' }, { status: 400, error: 'no' }, { content: 'Three' });
    const { copies } = (await gateway.data(home.editor, generate, { input: { promptId: 'some', prompt: 'x' } }))
      .generateCopy;
    expect(copies).toHaveLength(2);
  });

  test('costs nothing and records nothing when none came', async () => {
    const before = await written();
    server.next({ status: 400, error: 'no' }, { status: 400, error: 'no' });
    const input = { promptId: 'none', prompt: 'x', copies: 2 };
    expectFailure(await gateway.graphql(home.editor, generate, { input }), 'model_error');
    expect(await written()).toBe(before);
    expect((await gateway.rest(home.viewer, 'GET', '/rest/copywriting/none')).body.data).toEqual([]);
  });

  test.each([
    [{ promptId: ' ', prompt: 'x' }, /^promptId: /],
    [{ promptId: 'p', prompt: '' }, /^prompt: /],
    [{ promptId: 'p', prompt: 'x', copies: 0 }, /^copies: must be between 1 and 10/],
    [{ promptId: 'p', prompt: 'x', copies: 11 }, /^copies: must be between 1 and 10/],
  ])('is refused with %j', async (input, message) => {
    expectFailure(await gateway.graphql(home.editor, generate, { input }), 'invalid_request', message);
  });

  test('is not for viewers, and not with an agent of another workspace', async () => {
    const input = { promptId: 'p', prompt: 'x' };
    expectFailure(await gateway.graphql(home.viewer, generate, { input }), 'forbidden');
    const theirs = await makeAgent(gateway, (await makeWorkspace(gateway)).editor);
    expectFailure(
      await gateway.graphql(home.editor, generate, { input: { ...input, agentId: theirs.id } }),
      'not_found',
    );
  });
});
