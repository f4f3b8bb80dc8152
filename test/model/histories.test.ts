import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createModelService, type HistoryMessage } from '../../src/model/service.ts';
import { anthropicProtocol } from '../support/model/anthropic.ts';
import { googleProtocol } from '../support/model/google.ts';
import { request, weather } from '../support/model/model-requests.ts';
import { type Protocol, startModelServer } from '../support/model/model-server.ts';
import { openAiProtocol } from '../support/model/openai.ts';

/** Each provider, and what the strictest servers of its protocol refuse. */
const providers: Record<string, { protocol: Protocol; model: string; path: string; id: RegExp }> = {
  openai: { protocol: openAiProtocol('k', () => null), model: 'gpt-5', path: '/v1', id: /^\S{1,40}$/ },
  // Mistral's own service, and vLLM with its tokenizer.
  mistral: {
    protocol: openAiProtocol('k', () => null),
    model: 'mistral-small-latest',
    path: '/v1',
    id: /^[a-zA-Z0-9]{9}$/,
  },
  anthropic: { protocol: anthropicProtocol('k'), model: 'claude', path: '/v1', id: /^[a-zA-Z0-9_-]+$/ },
  google: { protocol: googleProtocol('k'), model: 'gemini', path: '/v1beta', id: /^\S+$/ },
};
const names = Object.keys(providers);
const servers: Record<string, Awaited<ReturnType<typeof startModelServer>>> = {};
beforeAll(async () => {
  for (const name of names)
    servers[name] = await startModelServer((providers[name] as { protocol: Protocol }).protocol);
});
afterAll(() => Promise.all(Object.values(servers).map((server) => server.close())));

type Body = {
  messages?: { role: string; content: unknown; tool_calls?: { id: string }[]; tool_call_id?: string }[];
  contents?: { role: string; parts: Record<string, { id?: string; text?: string }>[] }[];
};
type Sent = { role: string; texts: string[]; calls: string[]; results: string[]; isEmpty: boolean };

/** What a model of any protocol was sent, without its system prompt. */
async function sentTo(name: string, history: HistoryMessage[]): Promise<Sent[]> {
  const { model, path } = providers[name] ?? expect.unreachable(name);
  const server = servers[name] ?? expect.unreachable(name);
  const kind = name === 'mistral' ? 'openai' : name;
  const MODELS = `own=${kind}:${model}?url=${server.address}${path}&key=KEY&images=no`;
  const service = createModelService({
    models: readConfig({ MODELS, KEY: 'k' }).models,
    timeoutMs: 60_000,
    retries: 0,
  });
  server.next({ say: ['Yes.'] });
  await service.reply(request('', { history, tools: [weather] }));
  const body = server.requests.at(-1)?.body as Body;
  if (body.contents) {
    return body.contents.map(({ role, parts }) => ({
      role,
      texts: parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])),
      calls: parts.flatMap(({ functionCall }) => (functionCall ? [functionCall.id ?? 'c'] : [])),
      results: parts.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse.id ?? 'c'] : [])),
      isEmpty: parts.length === 0 || parts.some(({ text }) => typeof text === 'string' && !String(text).trim()),
    }));
  }
  return (body.messages ?? []).flatMap(({ role, content, tool_calls = [], tool_call_id }) => {
    if (role === 'system') return [];
    const blocks = (Array.isArray(content) ? content : [{ type: 'text', text: content }]) as Record<string, string>[];
    const texts = blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
    const used = blocks.flatMap(({ type, id }) => (type === 'tool_use' && id ? [id] : []));
    const answered = blocks.flatMap(({ tool_use_id }) => tool_use_id ?? []);
    const isEmpty = texts.some((text) => !text.trim()) || (blocks.length === 0 && tool_calls.length === 0);
    return [
      {
        role,
        texts: tool_call_id ? [] : texts,
        calls: [...tool_calls.map(({ id }) => id), ...used],
        results: [...(tool_call_id ? [tool_call_id] : []), ...answered],
        isEmpty,
      },
    ];
  });
}

const user = (content: string | null, more: Partial<HistoryMessage> = {}): HistoryMessage => ({
  role: 'user',
  content,
  ...more,
});
const agent = (content: string | null, ...ids: string[]): HistoryMessage => ({
  role: 'assistant',
  content,
  ...(ids.length > 0 && { toolCalls: ids.map((id) => ({ id, name: 'get_weather', arguments: { city: 'Rome' } })) }),
});
const result = (toolCallId: string, content: string | null = 'Sunny'): HistoryMessage => ({
  role: 'tool',
  toolCallId,
  name: 'get_weather',
  content,
});
const picture = { type: 'image' as const, name: 'a.png', mimeType: 'image/png', data: 'aGk=' };

/** Histories as they come about, and who says what in the one that is sent. */
const histories: [what: string, history: HistoryMessage[], sent: string[]][] = [
  ['after a failed turn', [user('One'), user('Two')], ['user: One|Two']],
  ['after three failed turns', [user('One'), user('Two'), user('Three')], ['user: One|Two|Three']],
  [
    'after a failed turn in the midst',
    [user('One'), user('Two'), agent('Yes.'), user('Three')],
    ['user: One|Two', 'agent: Yes.', 'user: Three'],
  ],
  ['that begins with the agent', [agent('Welcome!'), user('Hi')], ['user: …', 'agent: Welcome!', 'user: Hi']],
  ['that ends with the agent', [user('Hi'), agent('Yes.')], ['user: Hi', 'agent: Yes.', 'user: …']],
  [
    'with two messages of the agent in a row',
    [user('Hi'), agent('Yes.'), agent('And more.'), user('Go on')],
    ['user: Hi', 'agent: Yes.|And more.', 'user: Go on'],
  ],
  [
    'with an empty reply, and one of nothing but marks',
    [user('Hi'), agent(' '), agent('[1]'), user('Well?')],
    ['user: Hi|Well?'],
  ],
  ['with an empty message', [user(''), agent('Yes?'), user('Hi')], ['user: …', 'agent: Yes?', 'user: Hi']],
  [
    'with a file that the model does not read',
    [user('Look'), user(null, { attachments: [picture] })],
    ['user: Look|[attached image: a.png, image/png]'],
  ],
  [
    'with words before a call',
    [user('Rome?'), agent('One moment.'), agent('I look.', 'call_1'), result('call_1'), agent('Sunny.'), user('Ok')],
    ['user: Rome?', 'agent: One moment.|I look. +1', 'results: 1', 'agent: Sunny.', 'user: Ok'],
  ],
  [
    'whose turn failed after a call',
    [user('Rome?'), agent(null, 'call_1'), result('call_1'), user('Well?')],
    ['user: Rome?', 'agent:  +1', 'results: 1', 'agent: …', 'user: Well?'],
  ],
  [
    'with a call that was never made',
    [user('Rome?'), agent(null, 'call_1'), user('Well?')],
    ['user: Rome?', 'agent:  +1', 'results: 1', 'agent: …', 'user: Well?'],
  ],
  [
    'with results far from their calls',
    [user('Rome?'), agent(null, 'a', 'b'), user('And?'), result('b'), result('a', ''), agent('Sunny.'), user('Ok')],
    ['user: Rome?', 'agent:  +2', 'results: 2', 'agent: …', 'user: And?', 'agent: Sunny.', 'user: Ok'],
  ],
  ['with a result of no call', [user('Hi'), result('gone'), user('Well?')], ['user: Hi|Well?']],
  [
    'with calls in a row',
    [user('Rome?'), agent(null, 'a'), result('a'), agent(null, 'b'), result('b')],
    ['user: Rome?', 'agent:  +1', 'results: 1', 'agent:  +1', 'results: 1'],
  ],
  [
    'with the ids of another provider, used twice',
    [
      user('Rome?'),
      agent(null, 'functions.get_weather:0'),
      result('functions.get_weather:0'),
      agent(null, 'functions.get_weather:0', `toolu_${'x'.repeat(60)}`),
      result(`toolu_${'x'.repeat(60)}`),
    ],
    ['user: Rome?', 'agent:  +1', 'results: 1', 'agent:  +2', 'results: 2'],
  ],
];

const roles: Record<string, string> = { assistant: 'agent', model: 'agent' };
const lineOf = ({ role, texts, calls, results }: Sent): string => {
  if (results.length > 0) return `results: ${results.length}`;
  return `${roles[role] ?? role}: ${texts.join('|').replaceAll('\n\n', '|').replaceAll('\n', '|')}${calls.length > 0 ? ` +${calls.length}` : ''}`;
};

/** Results are messages of their own with OpenAI, and one message together elsewhere. */
const joinResults = (lines: string[]): string[] =>
  lines.reduce<string[]>((all, line) => {
    const before = /^results: (\d+)$/.exec(all.at(-1) ?? '');
    const now = /^results: (\d+)$/.exec(line);
    return before && now ? [...all.slice(0, -1), `results: ${Number(before[1]) + Number(now[1])}`] : [...all, line];
  }, []);

test.each(names.flatMap((name) => histories.map((each): [string, ...typeof each] => [name, ...each])))(
  '%s takes a history %s',
  async (name, _, history, expected) => {
    const sent = await sentTo(name, history);
    expect(joinResults(sent.map(lineOf))).toEqual(expected);
    expect(sent.filter(({ isEmpty }) => isEmpty)).toEqual([]);
    const calls = sent.flatMap((message) => message.calls);
    const { id } = providers[name] ?? expect.unreachable(name);
    if (name !== 'google') expect(new Set(calls).size).toBe(calls.length);
    expect(calls.every((each) => id.test(each))).toBe(true);
    for (const [index, message] of sent.entries()) {
      if (message.calls.length === 0) continue;
      const behind = sent.slice(index + 1).findIndex(({ results }) => results.length === 0);
      const answers = sent.slice(index + 1, behind < 0 ? undefined : index + 1 + behind).flatMap((m) => m.results);
      expect(answers).toEqual(message.calls);
    }
  },
);
