import type { Protocol } from './model-server.ts';

type Block = { type: string; id?: string; tool_use_id?: string };
type Body = { max_tokens?: number; stream?: boolean; messages: { role: string; content: Block[] | string }[] };

const usage = { input_tokens: 11, cache_read_input_tokens: 4, cache_creation_input_tokens: 0, output_tokens: 7 };
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', stop_sequence: null };

/** Anthropic's Messages API, which refuses what the real one refuses. */
export const anthropicProtocol = (key: string): Protocol => ({
  refusal({ path, headers, body }) {
    if (headers['x-api-key'] !== key)
      return { status: 401, message: `invalid x-api-key ${String(headers['x-api-key'])}` };
    if (path !== '/v1/messages') return { status: 404, message: 'Not found' };
    if (!headers['anthropic-version']) return { status: 400, message: 'anthropic-version: header is required' };
    const wrong = wrongIn(body as unknown as Body);
    return wrong ? { status: 400, message: wrong } : null;
  },
  error: (status, text) => ({
    type: 'error',
    error: { type: status === 529 ? 'overloaded_error' : 'error', message: text },
  }),
  isStreamed: ({ body }) => body.stream === true,
  whole: (text, call, cutOff) => ({
    ...message,
    content: call ? [{ type: 'tool_use', ...call }] : [{ type: 'text', text }],
    stop_reason: call ? 'tool_use' : cutOff ? 'max_tokens' : 'end_turn',
    usage,
  }),
  begin: [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
  ],
  word: (text) => [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }],
  call: ({ id, name, input }) => [
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id, name, input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) } },
    { type: 'content_block_stop', index: 1 },
  ],
  end: (called, cutOff) => [
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: called ? 'tool_use' : cutOff ? 'max_tokens' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 7 },
    },
    { type: 'message_stop' },
  ],
  failure: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  named: true,
});

function wrongIn({ max_tokens, messages }: Body): string | null {
  if (!max_tokens) return 'max_tokens: Field required';
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  for (const [index, { content }] of messages.entries()) {
    const next = messages[index + 1]?.content;
    const answered = new Set(Array.isArray(next) ? next.map(({ tool_use_id }) => tool_use_id) : []);
    const open = Array.isArray(content) && content.some(({ type, id }) => type === 'tool_use' && !answered.has(id));
    if (open) return 'messages: `tool_use` ids were found without `tool_result` blocks immediately after';
  }
  return null;
}
