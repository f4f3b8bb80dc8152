/** An error in the form of OpenAI. */
export const error = (message: string, more: object = {}) => ({ error: { message, ...more } });

/** Errors that providers and servers are known to send, most with 400, some with 200 and within a stream. */
export const refused: [who: string, provider: string, status: number, body: object, code: string][] = [
  [
    'OpenAI',
    'openai',
    400,
    error("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", {
      code: 'context_length_exceeded',
    }),
    'context_overflow',
  ],
  [
    'OpenAI, of more than a minute takes',
    'openai',
    429,
    error('Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 60000.', {
      code: 'rate_limit_exceeded',
    }),
    'context_overflow',
  ],
  [
    'vLLM',
    'openai',
    400,
    { object: 'error', message: "This model's maximum context length is 4096 tokens.", code: 400 },
    'context_overflow',
  ],
  [
    'llama.cpp',
    'openai',
    400,
    error('the request exceeds the available context size, try increasing it', { type: 'exceed_context_size_error' }),
    'context_overflow',
  ],
  [
    'LM Studio',
    'openai',
    400,
    {
      error: 'Trying to keep the first 5000 tokens when context the overflows. The context length is only 4096 tokens',
    },
    'context_overflow',
  ],
  [
    'Mistral',
    'openai',
    400,
    {
      object: 'error',
      message: 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_error',
    },
    'context_overflow',
  ],
  [
    'Groq',
    'openai',
    413,
    error('Request too large for model. Please reduce your message size and try again.', { type: 'tokens' }),
    'context_overflow',
  ],
  [
    'Text Generation Inference',
    'openai',
    422,
    { error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096', error_type: 'validation' },
    'context_overflow',
  ],
  ['DashScope', 'openai', 400, error('Range of input length should be [1, 30720]'), 'context_overflow'],
  [
    'Anthropic',
    'anthropic',
    400,
    {
      type: 'error',
      ...error('prompt is too long: 210000 tokens > 200000 maximum', { type: 'invalid_request_error' }),
    },
    'context_overflow',
  ],
  [
    'Google',
    'google',
    400,
    error('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', {
      code: 400,
      status: 'INVALID_ARGUMENT',
    }),
    'context_overflow',
  ],
  [
    'Azure',
    'openai',
    400,
    error("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", {
      code: 'content_filter',
      innererror: { code: 'ResponsibleAIPolicyViolation' },
    }),
    'content_filtered',
  ],
  [
    'OpenRouter',
    'openai',
    403,
    error('Your chosen model requires moderation and your input was flagged', { code: 403 }),
    'content_filtered',
  ],
  ['DeepSeek', 'openai', 400, error('Content Exists Risk', { type: 'invalid_request_error' }), 'content_filtered'],
  [
    'DashScope, of its inspection',
    'openai',
    400,
    error('Input data may contain inappropriate content.', { code: 'data_inspection_failed' }),
    'content_filtered',
  ],
  [
    'Zhipu',
    'openai',
    400,
    error('系统检测到输入或生成内容可能包含不安全或敏感内容', { code: '1301' }),
    'content_filtered',
  ],
  [
    'Anthropic, of its filter',
    'anthropic',
    400,
    { type: 'error', ...error('Output blocked by content filtering policy', { type: 'invalid_request_error' }) },
    'content_filtered',
  ],
];
/** Bodies of errors as servers and proxies send them, and what the trace shows. */
export const bodies: [who: string, status: number, type: string, body: string, says: string][] = [
  [
    'vLLM',
    500,
    'application/json',
    '{"object":"error","message":"CUDA out of memory","code":500}',
    'CUDA out of memory',
  ],
  ['LM Studio', 500, 'application/json', '{"error":"Model unloaded"}', 'Model unloaded'],
  ['FastAPI', 500, 'application/json', '{"detail":"Engine is dead"}', 'Engine is dead'],
  [
    'FastAPI, of a key',
    422,
    'application/json',
    '{"detail":[{"loc":["body","stop"],"msg":"Extra inputs"}]}',
    'body.stop: Extra inputs',
  ],
  ['a gateway', 502, 'application/json', '{"message":"Upstream idle timeout"}', 'Upstream idle timeout'],
  ['Google, as a list', 503, 'application/json', '[{"error":{"code":503,"message":"No capacity"}}]', 'No capacity'],
  ['a proxy', 504, 'text/plain', 'upstream request timeout', 'upstream request timeout'],
  ['a proxy that writes pages', 502, 'text/html', '<html><h1>502 Bad Gateway</h1></html>', 'Bad Gateway'],
];
/** What a provider says within a stream, however it is wrapped, and what the trace shows of it. */
export const reported: [what: string, provider: string, event: object, says: string][] = [
  ['an object', 'openai', error('CUDA out of memory', { type: 'server_error' }), 'server_error: CUDA out of memory'],
  ['a text', 'openai', { error: 'Upstream idle timeout exceeded' }, 'Upstream idle timeout exceeded'],
  ['the event', 'openai', { object: 'error', message: 'CUDA out of memory', code: 50 }, 'CUDA out of memory'],
  [
    'an error of Anthropic',
    'anthropic',
    { type: 'error', ...error('Overloaded', { type: 'overloaded_error' }) },
    'overloaded_error: Overloaded',
  ],
  [
    'an error of Google',
    'google',
    error('Deadline expired', { code: 504, status: 'DEADLINE_EXCEEDED' }),
    'Deadline expired',
  ],
];
