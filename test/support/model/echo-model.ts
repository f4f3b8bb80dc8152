import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * An OpenAI-compatible server that answers `Answer to <mark>.` to the last `mark-…` of the last message: one that was
 * not answered stands before it, in the same message.
 */
export async function startEchoModel(pauseMs: number) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { messages, stream } = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
      const last = messages.findLast(({ role }) => role === 'user');
      const mark = JSON.stringify(last)
        .match(/mark-[\w-]+/g)
        ?.at(-1);
      const pieces = ['Answer ', 'to ', `${mark}`, '.'];
      if (stream) void answer(response, pieces, pauseMs);
      else answerWhole(response, pieces.join(''));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    env: { MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`, MODEL_NAME: 'echo' },
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

type Asked = { messages: { role: string }[]; stream?: boolean };

function answerWhole(response: ServerResponse, content: string): void {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }));
}

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

async function answer(response: ServerResponse, pieces: string[], pauseMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (choices: object[], more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`,
    );
  for (const content of pieces) {
    write([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]);
    await sleep(pauseMs);
  }
  write([{ index: 0, delta: {}, finish_reason: 'stop' }]);
  write([], { usage });
  response.end('data: [DONE]\n\n');
}
