import OpenAI from 'openai';
import { afterAll, beforeAll } from 'vitest';
import { type Listening, listen } from '../../../src/http/server.ts';
import { patientPingMs, useStreaming } from './streaming.ts';

type Message = OpenAI.ChatCompletionMessageParam;
export const said = (content: string): Message => ({ role: 'user', content });
export const hello = { messages: [said('Hello')] };
export const getOrder: OpenAI.ChatCompletionFunctionTool = {
  type: 'function',
  function: { name: 'get_order', parameters: { type: 'object', properties: { number: { type: 'string' } } } },
};
export const conversationOf = (response: Response) => response.headers.get('x-parley-conversation') as string;

/** What a call of OpenAI's client fails with; null if it does not. */
export const failure = (asked: Promise<unknown>) =>
  asked.then(
    () => null,
    ({ status, code, type, param, message }) => ({ status, code, type, param, message }),
  );

/** A gateway behind a port with a scripted model, and the client of OpenAI's own package. */
export function useOpenAi() {
  const { world, usage } = useStreaming(patientPingMs);
  const door = {} as { client: OpenAI; model: string; url: string };
  let server: Listening;
  const clientWith = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${door.url}/v1`, maxRetries: 0 });
  beforeAll(async () => {
    server = await listen(world.gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
    door.url = server.url;
    door.client = clientWith(await world.gateway.bearer(world.home.app));
    door.model = world.agent.id;
  });
  afterAll(() => server.close(0));

  return {
    world,
    usage,
    door,
    clientWith,
    /** Asks with the model saying this, and returns the completion and its response. */
    async ask(content: string, body: object = {}, headers: Record<string, string> = {}) {
      const given = { model: door.model, ...hello, ...body } as OpenAI.ChatCompletionCreateParamsNonStreaming;
      const asked = door.client.chat.completions.create(given, { headers }).withResponse();
      const call = await world.model.next();
      call.say(content).end();
      const { data: completion, response } = await asked;
      return { completion, response, call };
    },
    rowsOf: (conversationId: string) =>
      world.gateway.database.message.findMany({ where: { conversationId }, orderBy: { position: 'asc' } }),
  };
}
