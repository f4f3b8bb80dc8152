import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How the bench's model writes: its thinking time, the number of tokens, and the gap between them; in milliseconds. */
export type Pace = { thinkMs: number; tokens: number; gapMs: number };

export type Model = {
  url: string;
  pace: Pace;
  /** When it wrote the first token of its reply to a question, by `performance.now`. */
  wroteFirst(mark: string): number;
  close(): Promise<void>;
};

/**
 * An OpenAI-compatible server that records when it writes the first token of each reply, and says it in every token.
 * Questions are identified by their `mark-…`.
 */
export async function startModel(): Promise<Model> {
  const first = new Map<string, number>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [mark = ''] = /mark-\w+/.exec(Buffer.concat(chunks).toString()) ?? [];
    await streamReply(response, model.pace, () => void first.set(mark, performance.now()));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const model: Model = {
    url: `http://127.0.0.1:${port}/v1`,
    pace: { thinkMs: 0, tokens: 1, gapMs: 0 },
    wroteFirst(mark) {
      const at = first.get(mark);
      if (at === undefined) throw new Error(`The model was never asked about ${mark}.`);
      return at;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return model;
}

async function streamReply(
  response: ServerResponse,
  { thinkMs, tokens, gapMs }: Pace,
  began: () => void,
): Promise<void> {
  await sleep(thinkMs);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (choice: object, more: object = {}) =>
    response.write(`data: ${JSON.stringify({ ...head, choices: [{ index: 0, ...choice }], ...more })}\n\n`);
  began();
  for (let token = 0; token < tokens; token++) {
    if (token > 0) await sleep(gapMs);
    const content = `${tokenAt(performance.now())} `;
    write({ delta: { role: 'assistant', content }, finish_reason: null });
  }
  const usage = { prompt_tokens: 10, completion_tokens: tokens, total_tokens: 10 + tokens };
  write({ delta: {}, finish_reason: 'stop' }, { usage });
  response.end('data: [DONE]\n\n');
}

/** A token that says when it was written, in hundredths of a millisecond: as short as those of models. */
const tokenAt = (ms: number): string => `@${Math.round(ms * 100).toString(36)}`;
/** When the tokens in a text were written, in milliseconds. */
export const timesIn = (text: string): number[] =>
  Array.from(text.matchAll(/@([0-9a-z]+)/g), ([, written = '']) => Number.parseInt(written, 36) / 100);

const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench' };
