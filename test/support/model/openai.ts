import type { Protocol } from './model-server.ts';

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
});
const called = ({ id, name, input }: { id: string; name: string; input: object }) => [
  { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(input) } },
];

/** OpenAI's chat completions; `usage` returns the reported tokens, or null. */
export const openAiProtocol = (key: string, usage: () => unknown): Protocol => ({
  refusal: ({ headers }) => (headers.authorization === `Bearer ${key}` ? null : { status: 401, message: 'No' }),
  error: (_, message) => ({ error: { message, type: 'error', code: null } }),
  isStreamed: ({ body }) => body.stream === true,
  whole: (content, call, cutOff) => ({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, ...(call && { tool_calls: called(call) }) },
        finish_reason: call ? 'tool_calls' : cutOff ? 'length' : 'stop',
      },
    ],
    ...(usage() !== null && { usage: usage() }),
  }),
  begin: [],
  word: (content) => [chunk({ role: 'assistant', content })],
  call: (call) => [chunk({ role: 'assistant', tool_calls: called(call) })],
  end: (isCall, cutOff) => [
    chunk({}, isCall ? 'tool_calls' : cutOff ? 'length' : 'stop'),
    ...(usage() !== null ? [{ ...chunk({}), choices: [], usage: usage() }] : []),
  ],
  failure: { error: { message: 'Overloaded', type: 'server_error' } },
  named: false,
});
