import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Viewer } from '../../../src/core/viewer.ts';
import { startWebhooks, type Webhooks } from '../../../src/jobs/webhook-deliveries.ts';
import type { Gateway } from '../gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../gateway/factories.ts';

export const day = 24 * 3_600_000;
export const deliveryFields = 'id eventId event status attempts responseStatus error durationMs body nextAttemptAt';

type Received = { path: string; headers: Record<string, string>; body: string };
type Made = { id: string; secret: string; enabled: boolean };

/**
 * A local server that receives webhooks, and a workspace that sends them. It answers 204, or per path what a test
 * sets in `answers`. The gateway's clock is stopped, except for `wait`, so that slow machines do not matter.
 */
export function useReceiver(gateway: Gateway) {
  const received: Received[] = [];
  const answers = new Map<string, (response: ServerResponse) => void>();
  const workers: Webhooks[] = [];
  const receiver = { received, answers, origin: '', workspace: {} as TestWorkspace };
  // Slightly ahead, so that rows with the database's time are due; receivers accept signatures for five minutes.
  const ahead = () => Date.now() + 240_000;
  let clock = ahead();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      received.push({ path, headers: plain(request.headers), body });
      const answer = answers.get(path);
      if (answer) answer(response);
      else response.writeHead(204).end();
    });
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    receiver.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    gateway.services.now = () => new Date(clock);
    gateway.services.leaseTime = async () => new Date(clock);
    receiver.workspace = await makeWorkspace(gateway, 5);
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    await gateway.database.webhook.deleteMany();
    answers.clear();
    received.length = 0;
    clock = ahead();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const deliveries = async (webhookId: string) => {
    const log = `deliveries { totalCount nodes { ${deliveryFields} } }`;
    const document = `query ($id: ID!) { webhook(id: $id) { enabled disabledReason ${log} } }`;
    return (await gateway.data(receiver.workspace.editor, document, { id: webhookId })).webhook;
  };

  return Object.assign(receiver, {
    deliveries,
    deliveryOf: async (webhookId: string) => (await deliveries(webhookId)).deliveries.nodes[0],
    told: () => received.map(({ body }) => JSON.parse(body)),
    wait(ms: number): void {
      clock += ms;
    },
    async create(path: string, more: object = {}, viewer?: Viewer): Promise<Made> {
      const document = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id secret enabled } } }`;
      const input = { url: `${receiver.origin}${path}`, ...more };
      return (await gateway.data(viewer ?? receiver.workspace.owner, document, { input })).createWebhook.webhook;
    },
    /** Delivers what is due, as a gateway would. */
    async deliver(timeoutMs?: number): Promise<void> {
      const worker = startWebhooks(gateway.services, { pollIntervalMs: 60_000, ...(timeoutMs && { timeoutMs }) });
      workers.push(worker);
      await worker.idle();
    },
    async createLead(input: object = { name: 'Ana' }): Promise<string> {
      const document = 'mutation ($input: CreateLeadInput!) { createLead(input: $input) { lead { id } } }';
      return (await gateway.data(receiver.workspace.app, document, { input })).createLead.lead.id;
    },
    mutate: (name: string, id: string, answer: string) =>
      gateway.data(receiver.workspace.admin, `mutation ($id: ID!) { ${name}(input: { id: $id }) { ${answer} } }`, {
        id,
      }),
  });
}

const plain = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
