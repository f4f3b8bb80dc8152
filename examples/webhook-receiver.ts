/**
 * Receives webhooks: registers its address for new leads, verifies each delivery by the Standard Webhooks library, and
 * acts on each event once. On one machine, start the gateway with FETCH_ALLOW_HOSTS=127.0.0.1:4600, since the address
 * is private.
 *
 *   TOKEN=$(npm run --silent token) PORT=4600 node examples/webhook-receiver.ts
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const { GATEWAY = 'http://127.0.0.1:4000', TOKEN, PORT = '4600' } = process.env;

/** The ids of what was received before: a delivery is made at least once. A real program keeps them in its database. */
const received = new Set<string>();

const query = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id secret } } }`;
const input = {
  url: `http://127.0.0.1:${PORT}/`,
  events: ['lead_created'],
  description: 'examples/webhook-receiver.ts',
};
const answer = await fetch(`${GATEWAY}/graphql`, {
  method: 'POST',
  headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables: { input } }),
});
const { data, errors } = (await answer.json()) as { data: any; errors?: { message: string }[] };
if (errors) throw new Error(errors.map(({ message }) => message).join('\n'));
const webhook = new Webhook(data.createWebhook.webhook.secret);

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  try {
    const event = webhook.verify(body, request.headers as Record<string, string>) as Event;
    const id = String(request.headers['webhook-id']);
    if (!received.has(id)) act(event);
    received.add(id);
    response.writeHead(204).end();
  } catch (error) {
    console.error('Refused a delivery:', String(error));
    response.writeHead(400).end();
  }
}

type Event = { type: string; data: { lead?: { name: string | null; email: string | null } } };
function act({ type, data }: Event): void {
  console.log(data.lead ? `${type}: ${data.lead.name} <${data.lead.email}>` : type);
}

const server = createServer((request, response) => void receive(request, response));
server.listen(Number(PORT), '127.0.0.1');
await once(server, 'listening');

console.log(`Waiting for leads on port ${PORT}`);
