import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How many tokens each reply has. */
const tokens = 40;

/** The settings by which contenders find the model, which runs in a process of its own. */
export type TurnModel = { env: Record<string, string>; stop: () => void };

/** Starts an OpenAI-compatible model that answers every question at once, with the same 40 tokens. */
export async function startTurnModel(): Promise<TurnModel> {
  const child = fork(import.meta.filename, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const [port] = (await once(child, 'message')) as [number];
  const env = { MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`, MODEL_NAME: 'bench' };
  return { env, stop: () => void child.kill() };
}

function replyText(): string {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench' };
  const event = (choice: object, more: object = {}) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, ...choice }], ...more })}\n\n`;
  const words = Array.from({ length: tokens }, (_, token) =>
    event({ delta: { role: 'assistant', content: `${token === 0 ? '' : ' '}word${token}` }, finish_reason: null }),
  );
  const usage = { prompt_tokens: 10, completion_tokens: tokens, total_tokens: 10 + tokens };
  return `${words.join('')}${event({ delta: {}, finish_reason: 'stop' }, { usage })}data: [DONE]\n\n`;
}

if (process.send) {
  const reply = Buffer.from(replyText());
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(reply));
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  // The bench has ended without saying so.
  process.on('disconnect', () => process.exit());
}
