import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Delta = { content?: string; tool_calls?: object[] };

/** A request to the model, which the test answers piece by piece. */
export class ModelCall {
  readonly body: { stream?: boolean; messages: unknown[] };
  readonly response: ServerResponse;
  /** Resolves when the gateway hangs up, or the answer is complete. */
  readonly closed: Promise<void>;

  constructor(body: ModelCall['body'], response: ServerResponse) {
    this.body = body;
    this.response = response;
    this.closed = new Promise((resolve) => response.once('close', () => resolve()));
  }

  say(content: string): this {
    return this.chunk({ content });
  }

  call(id: string, name: string, input: object): this {
    return this.chunk({
      tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
    });
  }

  end(finish_reason = 'stop'): void {
    this.chunk({}, finish_reason);
    const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
    this.write({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage });
    this.response.end('data: [DONE]\n\n');
  }

  /** Sends a whole answer that is not streamed. */
  answer(content: string): void {
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    this.response.writeHead(200, { 'content-type': 'application/json' });
    this.response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices }));
  }

  fail(status: number): void {
    this.response.writeHead(status, { 'content-type': 'application/json' });
    this.response.end(JSON.stringify({ error: { message: 'refused', type: 'error' } }));
  }

  hangUp(): void {
    this.response.destroy();
  }

  private chunk(delta: Delta, finish_reason: string | null = null): this {
    const choices = [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason }];
    return this.write({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices });
  }

  private write(json: object): this {
    if (!this.response.headersSent) this.response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.response.write(`data: ${JSON.stringify(json)}\n\n`);
    return this;
  }
}

/** An OpenAI-compatible server whose text and timing the test controls. */
export async function startStreamingModel() {
  const calls: ModelCall[] = [];
  const waiting: ((call: ModelCall) => void)[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      count += 1;
      const call = new ModelCall(JSON.parse(Buffer.concat(chunks).toString()), response);
      const next = waiting.shift();
      if (next) next(call);
      else calls.push(call);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    env: { MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`, MODEL_NAME: 'scripted' },
    /** The next request to the model. */
    next: (): Promise<ModelCall> => {
      const call = calls.shift();
      return call ? Promise.resolve(call) : new Promise((resolve) => void waiting.push(resolve));
    },
    asked: () => count,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}
