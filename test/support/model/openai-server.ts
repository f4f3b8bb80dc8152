import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type WireCall = { id: string; type: 'function'; function: { name: string; arguments: string } };
type WireMessage = { role: string; content: unknown; tool_calls?: WireCall[]; tool_call_id?: string };
export type WireRequest = {
  model: string;
  messages: WireMessage[];
  tools?: { type: 'function'; function: { name: string; parameters: object } }[];
  response_format?: { type: string; json_schema?: { name: string; strict?: boolean; schema: object } };
  temperature?: number;
  max_tokens?: number;
  stream?: boolean;
};
/** The next response: text, tool calls, a failure with status and headers, raw bytes, or a long silence. */
export type Scripted =
  | { content: string; finish?: string; usage?: object }
  | { calls: { id: string; name: string; arguments: string }[]; content?: string }
  | { status: number; error: string; headers?: Record<string, string> }
  | { raw: string }
  | { silent: true };

/** A server with OpenAI's chat completions, as strict as the real one about tool pairs, and transcription. */
export async function startOpenAiServer(apiKey: string) {
  const requests: WireRequest[] = [];
  const script: Scripted[] = [];
  const structured: Scripted[] = [];
  const recordings: Buffer[] = [];
  const transcripts: (string | { status: number })[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.headers.authorization !== `Bearer ${apiKey}`) {
        return fail(response, 401, `Incorrect API key provided: ${request.headers.authorization}`);
      }
      if (request.url === '/v1/audio/transcriptions') {
        recordings.push(Buffer.concat(chunks));
        const heard = transcripts.shift() ?? '';
        if (typeof heard === 'object') return fail(response, heard.status, 'Not now');
        return void response.end(JSON.stringify({ text: heard }));
      }
      if (request.url !== '/v1/chat/completions') return fail(response, 404, 'Not found');
      const body = JSON.parse(Buffer.concat(chunks).toString()) as WireRequest;
      requests.push(body);
      const broken = brokenPairs(body.messages);
      if (broken) return fail(response, 400, broken);
      const isStructured = body.response_format?.type === 'json_schema';
      const said = (isStructured ? structured.shift() : script.shift()) ?? {
        content: isStructured ? '{}' : 'Nothing was scripted.',
      };
      if (body.stream && ('content' in said || 'calls' in said)) stream(response, said);
      else answer(response, said);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    /** The bodies of transcription requests. */
    recordings,
    nextTranscript: (...answers: (string | { status: number })[]) => transcripts.push(...answers),
    next: (...answers: Scripted[]) => script.push(...answers),
    /** Queues answers to requests with a response schema. */
    nextStructured: (...answers: Scripted[]) => structured.push(...answers),
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

function answer(response: ServerResponse, said: Scripted): void {
  if ('silent' in said) return;
  response.setHeader('content-type', 'application/json');
  if ('raw' in said) return void response.end(said.raw);
  if ('status' in said) return fail(response, said.status, said.error, said.headers);
  const calls = 'calls' in said ? said.calls : undefined;
  const tool_calls = calls?.map(({ id, ...call }) => ({ id, type: 'function', function: call }));
  const message = {
    role: 'assistant',
    content: said.content ?? null,
    ...(tool_calls && { tool_calls }),
    refusal: null,
  };
  const finish_reason = calls ? 'tool_calls' : 'finish' in said ? said.finish : 'stop';
  const usage = 'usage' in said ? said.usage : { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  const choices = [{ index: 0, message, finish_reason, logprobs: null }];
  response.end(JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices, usage }));
}

/** The same in chunks, word by word. */
function stream(
  response: ServerResponse,
  said: { content?: string; calls?: object[]; finish?: string; usage?: object },
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const words = said.content?.match(/\s*\S+/g) ?? [];
  const calls = (said.calls as { id: string; name: string; arguments: string }[] | undefined)?.map(
    ({ id, ...call }, index) => ({ index, id, type: 'function', function: call }),
  );
  const chunks = [
    ...words.map((content) => chunk({ role: 'assistant', content })),
    ...(calls ? [chunk({ role: 'assistant', tool_calls: calls })] : []),
    chunk({}, calls ? 'tool_calls' : (said.finish ?? 'stop')),
    { ...chunk({}), choices: [], usage: said.usage ?? { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } },
  ];
  response.end([...chunks.map((part) => JSON.stringify(part)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));
}

function fail(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { message, type: 'error', param: null, code: null } }));
}

function brokenPairs(messages: WireMessage[]): string | null {
  let waiting = new Set<string>();
  for (const { role, tool_calls, tool_call_id } of messages) {
    if (role === 'tool') {
      if (!waiting.delete(tool_call_id ?? ''))
        return "messages with role 'tool' must be a response to a preceding message";
    } else {
      if (waiting.size > 0) return "An assistant message with 'tool_calls' must be followed by tool messages";
      waiting = new Set(tool_calls?.map(({ id }) => id));
    }
  }
  return waiting.size > 0 ? "An assistant message with 'tool_calls' must be followed by tool messages" : null;
}
