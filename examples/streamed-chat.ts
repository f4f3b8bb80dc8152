/**
 * Chats with an agent through the AI SDK, and prints the reply as it is streamed. In React, give the same transport to
 * `useChat`.
 *
 *   TOKEN=$(npm run --silent token) node examples/streamed-chat.ts "What is your return policy?" "And for shoes?"
 */
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';

const { GATEWAY = 'http://127.0.0.1:4000', TOKEN } = process.env;
const authorization = `Bearer ${TOKEN}`;
const questions = process.argv.length > 2 ? process.argv.slice(2) : ['What is your return policy?'];

const transport = new DefaultChatTransport<UIMessage>({
  api: `${GATEWAY}/api/${await activeAgent()}`,
  headers: { authorization },
});

const chatId = crypto.randomUUID();
const messages: UIMessage[] = [];
for (const text of questions) {
  messages.push({ id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] });
  console.log(`> ${text}`);
  messages.push(await reply());
}

/** Prints each word when it comes, and answers the whole message. */
async function reply(): Promise<UIMessage> {
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId,
    messageId: undefined,
    messages,
    abortSignal: undefined,
  });
  let printed = 0;
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) {
    const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    process.stdout.write(text.slice(printed));
    printed = text.length;
    last = message;
  }
  console.log();
  if (!last) throw new Error('The agent did not answer.');
  return last;
}

/** The id of an agent that is in use. */
async function activeAgent(): Promise<string> {
  const response = await fetch(`${GATEWAY}/graphql`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ agents(filter: { status: [active] }, first: 1) { nodes { id } } }' }),
  });
  const { data } = (await response.json()) as { data: { agents: { nodes: { id: string }[] } } };
  const [agent] = data.agents.nodes;
  if (!agent) throw new Error('There is no active agent.');
  return agent.id;
}
