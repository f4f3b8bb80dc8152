import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createModelService } from '../../src/model/service.ts';
import { anthropicProtocol } from '../support/model/anthropic.ts';
import { googleProtocol } from '../support/model/google.ts';
import { request, weather } from '../support/model/model-requests.ts';
import type { Protocol } from '../support/model/model-server.ts';
import { openAiProtocol } from '../support/model/openai.ts';

const protocols: Record<string, Protocol> = {
  openai: openAiProtocol('k', () => null),
  anthropic: anthropicProtocol('k'),
  google: googleProtocol('k'),
};
type Body = Record<string, unknown> & { generationConfig?: Record<string, unknown> };
type Refuses = (body: Body) => object | string | null;

let origin = '';
let protocol = protocols.openai as Protocol;
let refuses: Refuses = () => null;
let status = 400;
let bodies: Body[] = [];
const server = createServer((incoming, response) => {
  let text = '';
  incoming.on('data', (chunk) => (text += chunk));
  incoming.on('end', () => {
    const body = JSON.parse(text) as Body;
    bodies.push(body);
    const refusal = refuses(body);
    if (refusal) {
      response.writeHead(status, { 'content-type': 'application/json' });
      return response.end(typeof refusal === 'string' ? refusal : JSON.stringify(refusal));
    }
    const asked = { path: incoming.url ?? '', headers: incoming.headers, body };
    const said = body.response_format || body.generationConfig?.responseMimeType ? '{"a":1}' : 'Yes.';
    if (!protocol.isStreamed(asked)) return response.end(JSON.stringify(protocol.whole(said, null)));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const events = [...protocol.begin, ...protocol.word(said), ...protocol.end(false)];
    response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  });
});
beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  bodies = [];
  status = 400;
});

function service(provider: string) {
  protocol = protocols[provider] ?? expect.unreachable(provider);
  const path = provider === 'google' ? '/v1beta' : '/v1';
  const { models } = readConfig({ MODELS: `own=${provider}:m?url=${origin}${path}&key=KEY`, KEY: 'k' });
  return createModelService({ models, timeoutMs: 60_000, retries: 0 });
}
const full = request('Hi', { tools: [weather], agent: { temperature: 0.5, maxOutputTokens: 500 } });

const error = (message: string, more: object = {}) => ({ error: { message, type: 'invalid_request_error', ...more } });
const has = (body: Body, key: string) => body[key] !== undefined || body.generationConfig?.[key] !== undefined;
/** Refuses a parameter as a server is known to. */
const unless =
  (key: string, refusal: object | string): Refuses =>
  (body) =>
    has(body, key) ? refusal : null;

/** Who refuses what, with the response of the real one. */
const refusals: [who: string, provider: string, status: number, key: string, refusal: object | string][] = [
  [
    'Mistral',
    'openai',
    422,
    'stream_options',
    {
      object: 'error',
      message: {
        detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }],
      },
    },
  ],
  ['Azure', 'openai', 400, 'stream_options', error('Unrecognized request argument supplied: stream_options')],
  [
    'an old vLLM',
    'openai',
    400,
    'stream_options',
    { object: 'error', message: "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]" },
  ],
  [
    'OpenAI',
    'openai',
    400,
    'temperature',
    error(
      "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
      { param: 'temperature' },
    ),
  ],
  [
    'Anthropic',
    'anthropic',
    400,
    'temperature',
    { type: 'error', ...error('`temperature` is deprecated for this model.') },
  ],
  ['Moonshot', 'openai', 400, 'temperature', error('invalid temperature: only 1 is allowed for this model')],
  [
    'Google',
    'google',
    400,
    'temperature',
    error('temperature is not supported', { code: 400, status: 'INVALID_ARGUMENT' }),
  ],
  [
    'a proxy',
    'openai',
    422,
    'max_tokens',
    { detail: [{ loc: ['body', 'max_tokens'], msg: 'extra fields not permitted' }] },
  ],
  ['Ollama', 'openai', 400, 'tools', error('registry.ollama.ai/library/gemma:2b does not support tools')],
  [
    'vLLM',
    'openai',
    400,
    'tools',
    {
      object: 'error',
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    },
  ],
  ['OpenRouter', 'openai', 400, 'tools', error('Function calling is not supported by this model')],
  [
    'Google of Gemma',
    'google',
    400,
    'tools',
    error('Function calling is not enabled for models/gemma-3-27b-it', { code: 400 }),
  ],
];
test.each(refusals)(
  '%s (%s, %i) refuses %s, which is left out from then on',
  async (_, provider, code, key, refusal) => {
    status = code;
    refuses = unless(key, refusal);
    const own = service(provider);
    for (const round of [1, 2, 3]) {
      bodies = [];
      const reply = await own.stream(full, () => {});
      expect(reply.content).toBe('Yes.');
      // What is known to be refused is sent no more.
      if (round > 1) expect(bodies).toHaveLength(1);
      expect(has(bodies.at(-1) ?? {}, key)).toBe(false);
    }
    // All else is still sent.
    const others = ['temperature', 'max_tokens', 'maxOutputTokens', 'tools'].filter((name) => name !== key);
    const [before, after] = [protocol === protocols.google ? 'maxOutputTokens' : 'max_tokens', 'temperature'];
    for (const name of [before, after].filter((each) => others.includes(each)))
      expect(has(bodies.at(-1) ?? {}, name)).toBe(true);
  },
);

test('a limit that newer models call otherwise is sent under that name', async () => {
  const refusal = error(
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { param: 'max_tokens' },
  );
  refuses = unless('max_tokens', refusal);
  const own = service('openai');
  for (const sent of [2, 3]) {
    await own.stream(full, () => {});
    expect([bodies.length, bodies.at(-1)?.max_completion_tokens]).toEqual([sent, 500]);
  }
});

test('a limit that is too large for a model of Anthropic becomes its largest', async () => {
  refuses = ({ max_tokens }) =>
    Number(max_tokens) > 100
      ? { type: 'error', ...error('max_tokens: 500 > 100, which is the maximum allowed number of output tokens for m') }
      : null;
  expect((await service('anthropic').reply(full)).content).toBe('Yes.');
  expect(bodies.map(({ max_tokens }) => max_tokens)).toEqual([500, 100]);
});

test('a limit that is too large for one conversation is left out there only', async () => {
  let isLong = true;
  const refusal = error("'max_tokens' is too large: 500. This model's maximum context length is 4096 tokens.");
  refuses = (body) => (isLong && has(body, 'max_tokens') ? refusal : null);
  const own = service('openai');
  await own.reply(full);
  isLong = false;
  await own.reply(full);
  expect(bodies.map(({ max_tokens }) => max_tokens)).toEqual([500, undefined, 500]);
});

test.each<[string, string, object | string]>([
  ['DeepSeek', 'openai', error('This response_format type is unavailable now')],
  ['a server that says nothing', 'openai', 'Bad Request'],
  ['Google of Gemma', 'google', error('JSON mode is not enabled for models/gemma-3-27b-it', { code: 400 })],
])('%s refuses a format, which the prompt describes anyway', async (_, provider, refusal) => {
  const key = provider === 'google' ? 'responseMimeType' : 'response_format';
  refuses = unless(key, refusal);
  const own = service(provider);
  const asked = () => own.reply({ ...full, tools: [], format: 'json' }).catch(({ code }) => code);
  // The server answers in JSON only where it is asked for it: what matters is that it answers.
  expect([await asked(), await asked()]).toEqual(['model_error', 'model_error']);
  expect(bodies.filter((body) => has(body, key))).toHaveLength(1);
});

test.each<[string, string, object]>([
  ['vLLM', 'openai', { object: 'error', message: 'System role not supported' }],
  ['llama.cpp', 'openai', error("Unexpected role 'system': only user and assistant roles are supported")],
  ['Google of Gemma', 'google', error('Developer instruction is not enabled for models/gemma-3-27b-it', { code: 400 })],
])('%s takes no instructions apart: they stand before the first words', async (_, provider, refusal) => {
  const isGiven = (body: Body) =>
    body.systemInstruction !== undefined || JSON.stringify(body.messages ?? '').includes('"role":"system"');
  refuses = (body) => (isGiven(body) ? refusal : null);
  const own = service(provider);
  await own.reply(full);
  await own.reply(full);
  expect(bodies.map(isGiven)).toEqual([true, false, false]);
  const sent = JSON.stringify(bodies.at(-1)?.messages ?? bodies.at(-1)?.contents);
  expect(sent.indexOf('You are Bia.')).toBeLessThan(sent.indexOf('Hi'));
  expect(sent).toContain('You are Bia.');
});

test('several parameters are left out one after the other', async () => {
  refuses = (body) =>
    ['stream_options', 'temperature', 'max_tokens', 'tools'].flatMap((key) =>
      has(body, key) ? [error(`Unknown parameter: '${key}'.`, { param: key })] : [],
    )[0] ?? null;
  const own = service('openai');
  await own.stream(full, () => {});
  await own.stream(full, () => {});
  expect(bodies).toHaveLength(6);
});

test.each<[string, number, object]>([
  [
    'the schema of one tool',
    400,
    error("Invalid schema for function 'get_weather'", { param: 'tools[0].function.parameters' }),
  ],
  ['a key', 401, error('temperature')],
  ['nothing', 400, error('Out of order')],
])('what is refused for %s is no parameter', async (_, code, refusal) => {
  status = code;
  refuses = () => refusal;
  const own = service('openai');
  await expect(own.reply(full)).rejects.toMatchObject({ code: 'model_error' });
  refuses = () => null;
  await own.reply(full);
  expect(bodies).toHaveLength(2);
  expect(['temperature', 'max_tokens', 'tools'].every((key) => has(bodies[1] ?? {}, key))).toBe(true);
});

test('what is left out in vain is sent the next time', async () => {
  refuses = () => error('temperature is odd');
  const own = service('openai');
  await expect(own.reply(full)).rejects.toMatchObject({ code: 'model_error' });
  refuses = () => null;
  await own.reply(full);
  expect(has(bodies.at(-1) ?? {}, 'temperature')).toBe(true);
});
