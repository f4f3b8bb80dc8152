import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newKey } from '../../src/auth/encryption/key-file.ts';
import { createSecrets } from '../../src/auth/encryption/secrets.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/http/log/request-log.ts';
import { createServices } from '../../src/services.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const key = 'sk-canary-key-0123456789abcdef';
const canary = 'Zanzibar pineapple 471108154711 my mother is Ludmila';
type Refusal = { status: number; headers?: Record<string, string>; body: object };

/** A model that refuses everything, and echoes the key and the request in its error, as some do. */
async function startRefusing() {
  const answer = { now: { status: 500, body: {} } as Refusal, asked: 0 };
  const server = createServer((request, response) => {
    answer.asked++;
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { status, headers = {}, body: said } = answer.now;
      const sent = Object.values(request.headers).join(' ');
      const texts = JSON.stringify(said)
        .replaceAll('<headers>', sent)
        .replaceAll('<body>', JSON.stringify(body).slice(1, -1));
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(texts);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    answer,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  };
}

let model: Awaited<ReturnType<typeof startRefusing>>;
let gateway: Gateway;
let home: TestWorkspace;
const agents: Record<string, { id: string }> = {};
let lines: Record<string, unknown>[] = [];
const providers = ['openai', 'anthropic', 'google'];

beforeAll(async () => {
  model = await startRefusing();
  const MODELS = providers.map((name) => `${name}=${name}:some-model?url=${model.address}/v1&key=KEY`).join(',');
  const env = { MODELS, KEY: key };
  const handle = await borrowDatabase();
  const log = createLog('debug', { write: (line: string) => void lines.push(JSON.parse(line)) });
  const config = readConfig({ LOG_LEVEL: 'silent', FETCH_ALLOW_HOSTS: '127.0.0.1', ...env });
  const own = createServices({ config, handle, log, secrets: createSecrets([newKey()]) });
  gateway = await openGateway(env, { log, model: own.model }, handle);
  home = await makeWorkspace(gateway);
  for (const name of providers) agents[name] = await makeAgent(gateway, home.editor, { model: name });
});
afterAll(async () => {
  await gateway.close();
  await model.close();
});
beforeEach(() => {
  lines = [];
  model.answer.asked = 0;
});

const refusals: Record<string, Refusal> = {
  openai: {
    status: 401,
    headers: { 'x-request-id': 'req_openai_1' },
    body: {
      error: {
        message: `Incorrect API key provided: ${key}. Your message was "${canary}" <headers> <body>`,
        type: 'invalid_request_error',
        code: 'invalid_api_key',
      },
    },
  },
  anthropic: {
    status: 401,
    headers: { 'request-id': 'req_anthropic_1' },
    body: {
      type: 'error',
      error: { type: 'authentication_error', message: `invalid x-api-key ${key}: <body> <headers>` },
    },
  },
  google: {
    status: 400,
    headers: { 'x-request-id': 'req_google_1' },
    body: {
      error: {
        code: 400,
        message: `API key not valid. Please pass a valid API key. <headers> <body>`,
        status: 'INVALID_ARGUMENT',
        details: [{ reason: 'API_KEY_INVALID' }],
      },
    },
  },
};
const codes: Record<string, string> = {
  openai: 'invalid_api_key',
  anthropic: 'authentication_error',
  google: 'INVALID_ARGUMENT',
};

const traceOf = `query ($id: ID!) { messages(filter: { conversationId: $id }) { nodes { role trace {
  model totalMs prompt { tokens } passages { passageId }
  attempts { model outcome reason failure { provider status reason requestId } } } } } }`;

/** The words of the canary, none of which may leak. */
const secretWords = [key, 'canary', ...canary.split(' ').filter((word) => word.length > 3)];
const expectNoSecret = (text: string) => {
  for (const word of secretWords) expect(text.toLowerCase()).not.toContain(word.toLowerCase());
};

/** The conversation that holds the canary. */
async function conversationOf(agentId: string) {
  const where = { workspaceId: home.id, agentId };
  return (await gateway.database.conversation.findFirstOrThrow({ where, orderBy: { createdAt: 'desc' } })).id;
}

test.each(providers)(
  'a wrong key of %s is told to the operator by the log, and to owners by the trace',
  async (name) => {
    model.answer.now = refusals[name] as Refusal;
    const path = `/api/${agents[name]?.id}`;
    const { status, body } = await gateway.rest(home.app, 'POST', path, { message: { content: canary } });
    expect([status, body.code]).toEqual([502, 'model_error']);
    expect(body.message).toMatch(/rejects the API key.*operator/);
    expect(body.message).not.toMatch(/try again/i);
    expect(model.answer.asked).toBe(1);

    const conversationId = await conversationOf(agents[name]?.id ?? '');
    const line = lines.find(({ msg }) => msg === 'a model failed');
    expect(line).toMatchObject({
      level: 'warn',
      workspaceId: home.id,
      agentId: agents[name]?.id,
      conversationId,
      turnId: expect.stringMatching(/^msg_/),
      model: name,
      provider: name,
      status: refusals[name]?.status,
      providerRequestId: Object.values(refusals[name]?.headers ?? {})[0],
      providerSays: expect.stringContaining(codes[name] ?? ''),
    });
    expectNoSecret(JSON.stringify(lines));

    const asked = await gateway.data(home.owner, traceOf, { id: conversationId });
    const [{ role, trace }] = asked.messages.nodes;
    expect([role, trace]).toEqual([
      'user',
      {
        model: null,
        prompt: null,
        passages: [],
        totalMs: expect.any(Number),
        attempts: [
          {
            model: name,
            outcome: 'failed',
            reason: `HTTP ${refusals[name]?.status}`,
            failure: {
              provider: name,
              status: refusals[name]?.status,
              reason: line?.providerSays,
              requestId: line?.providerRequestId,
            },
          },
        ],
      },
    ]);
    for (const viewer of [home.admin, home.editor]) {
      const seen = await gateway.data(viewer, traceOf, { id: conversationId });
      expect(seen.messages.nodes[0].trace.attempts).toMatchObject([{ outcome: 'failed', failure: null }]);
    }
    for (const viewer of [home.viewer, home.app]) {
      expect((await gateway.data(viewer, traceOf, { id: conversationId })).messages.nodes[0].trace).toBeNull();
    }
  },
);

test('the words of a provider that are its own stay, and what it repeats of the conversation goes', async () => {
  const message = `This model's maximum context length is 8192 tokens. You said: Ludmila of Zanzibar`;
  model.answer.now = { status: 400, body: { error: { message, code: 'context_length_exceeded' } } };
  await gateway.rest(home.app, 'POST', `/api/${agents.openai?.id}`, { message: { content: canary } });
  const { providerSays } = lines.find(({ msg }) => msg === 'a model failed') ?? {};
  expect(providerSays).toMatch(/^context_length_exceeded: This model's maximum context length is 8192 tokens/);
  expectNoSecret(JSON.stringify(lines));
});

test('a failure takes the place of the one before, and stays when the next try is answered by a fallback', async () => {
  const headers = { 'idempotency-key': 'again' };
  const send = () =>
    gateway.rest(home.app, 'POST', `/api/${agents.openai?.id}`, { message: { content: 'Twice' } }, headers);
  model.answer.now = refusals.openai as Refusal;
  expect((await send()).status).toBe(502);
  model.answer.now = { status: 403, body: { error: { message: 'No', code: 'forbidden_region' } } };
  expect((await send()).status).toBe(502);
  const id = await conversationOf(agents.openai?.id ?? '');
  const failures = async () => {
    const { nodes } = (await gateway.data(home.owner, traceOf, { id })).messages;
    return nodes[0].trace.attempts.map(({ failure }: { failure: { status: number } }) => failure.status);
  };
  expect(await failures()).toEqual([403]);
  await gateway.data(
    home.editor,
    'mutation ($input: UpdateAgentInput!) { updateAgent(input: $input) { agent { id } } }',
    {
      input: { id: agents.openai?.id, fallbackModel: 'embedded' },
    },
  );
  expect((await send()).status).toBe(200);
  expect(await failures()).toEqual([403]);
});

test('a redirect of an endpoint is asked once, followed nowhere, and told', async () => {
  model.answer.now = { status: 307, headers: { location: '/v1/chat/completions?token=abc' }, body: {} };
  for (const name of providers) {
    lines = [];
    model.answer.asked = 0;
    const agent = await makeAgent(gateway, home.editor, { model: name });
    const { status, body } = await gateway.rest(home.app, 'POST', `/api/${agent.id}`, { message: { content: 'Hi' } });
    expect([status, body.message, model.answer.asked]).toEqual([502, expect.stringContaining('another address'), 1]);
    const line = lines.find(({ msg }) => msg === 'a model failed');
    expect(line).toMatchObject({
      status: 307,
      providerSays: expect.stringContaining(`redirects to ${model.address}/v1/chat/completions, which is not followed`),
    });
    expect(JSON.stringify(line)).not.toContain('token=abc');
  }
});

test('the line of a GraphQL request has its operation, its error codes and who asked, on both ways', async () => {
  const ask = async (query: string, operationName?: string) => {
    lines = [];
    await gateway.app.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await gateway.bearer(home.viewer)}` },
      body: JSON.stringify({ query, operationName }),
    });
    return lines.find(({ path }) => path === '/graphql');
  };
  const who = { workspaceId: home.id, role: 'viewer', callerId: home.viewer.userId, credential: expect.any(String) };
  const read = await ask('query CountAgents { agents { totalCount } }');
  expect(read).toMatchObject({ operation: 'CountAgents', status: 200, ...who });
  expect(read).not.toHaveProperty('errorCodes');
  const two = 'query One { __typename } query Two { agent(id: "agt_none") { id } }';
  expect(await ask(two, 'Two')).toMatchObject({ operation: 'Two', ...who });
  const refused = 'mutation Forbidden { deleteLead(input: { id: "led_x" }) { __typename } }';
  expect(await ask(refused)).toMatchObject({ operation: 'Forbidden', errorCodes: ['forbidden'], ...who });
  const wrong = await ask('query Wrong { nothing }');
  expect(wrong).toMatchObject({ errorCodes: ['invalid_request'], ...who });
  lines = [];
  await gateway.rest(home.app, 'GET', '/rest/bases/bas_none');
  expect(lines.at(-1)).toMatchObject({
    status: 404,
    errorCodes: ['not_found'],
    role: 'app',
    callerId: 'portal',
    operation: 'readBase',
  });
});
