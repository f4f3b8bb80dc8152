import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';

let server: Server;
let origin: string;
let requests: { url: string; headers: IncomingHttpHeaders }[];
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    // As Azure does, for a key in another header or another path.
    const isAzure = request.url?.startsWith('/openai/deployments/');
    if (isAzure && request.headers['api-key'] !== 'azure-key')
      return void response.writeHead(401).end('{"error":{"code":"401"}}');
    if (isAzure && !request.url?.includes('api-version='))
      return void response.writeHead(404).end('{"error":{"code":"404"}}');
    const said = { content: 'Hello from the deployment.' };
    request.resume().on('end', () =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          id: '1',
          created: 1,
          model: 'm',
          choices: [{ index: 0, message: { role: 'assistant', ...said }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }),
      ),
    );
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function ask(env: Record<string, string>) {
  const gateway = await openGateway(env);
  const home = await makeWorkspace(gateway);
  const { id } = await makeAgent(gateway, home.editor);
  const answer = await gateway.rest(home.app, 'POST', `/api/${id}`, { message: { content: 'Hi' } });
  await gateway.close();
  return answer;
}

describe('a model', () => {
  test('may be a deployment of Azure OpenAI', async () => {
    const url = encodeURIComponent(`${origin}/openai/deployments/shop`);
    const MODELS = `azure=openai:gpt?url=${url}&key=AZURE_KEY&api-version=2024-10-21`;
    const answer = await ask({ MODELS, AZURE_KEY: 'azure-key' });
    expect(answer).toMatchObject({ status: 200, body: { messages: [{ content: 'Hello from the deployment.' }] } });
    expect(requests[0]?.url).toBe('/openai/deployments/shop/chat/completions?api-version=2024-10-21');
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });

  test('may be sent more headers, as OpenRouter knows them', async () => {
    const MODELS = `router=openai:gpt?url=${origin}/v1&key=ROUTER_KEY&headers=ROUTER_HEADERS`;
    const ROUTER_HEADERS = 'HTTP-Referer=https%3A%2F%2Fshop.example, X-Title=Our%20shop';
    expect((await ask({ MODELS, ROUTER_KEY: 'k', ROUTER_HEADERS })).status).toBe(200);
    expect(requests[0]?.headers).toMatchObject({
      'http-referer': 'https://shop.example',
      'x-title': 'Our shop',
      authorization: 'Bearer k',
    });
  });

  test.each([
    ['a=openai:gpt?api-version=2024-10-21&key=K', {}, 'needs the provider openai and a url'],
    ['a=google:gpt?api-version=1&key=K', {}, 'needs the provider openai and a url'],
    ['a=openai:gpt?key=K&headers=H', {}, 'needs its headers in H'],
    ['a=openai:gpt?key=K&headers=H', { H: 'no-pair' }, 'needs its headers in H'],
    ['a=openai:gpt?key=K&headers=H', { H: 'X-A=%0d%0aX-B: secret' }, 'needs its headers in H'],
    ['a=openai:gpt?key=K&headers=H', { H: 'X-A=%zz' }, 'needs its headers in H'],
  ])('is refused as %s with %j', (MODELS, more, why) => {
    expect(() => readConfig({ MODELS, K: 'k', ...more })).toThrow(why);
    expect(() => readConfig({ MODELS, K: 'k', ...more })).not.toThrow('secret');
  });
});
