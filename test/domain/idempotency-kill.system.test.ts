import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endAtRandom, type KillWorld, openKillWorld } from '../support/faults/kill-world.ts';
import { type GatewayProcess, ownerToken } from '../support/gateway/gateway-process.ts';
import { startEchoModel } from '../support/model/echo-model.ts';
import { describedApi } from '../support/plugins/described-api.ts';
import { randomOf } from '../support/random/random.ts';
import { seed } from '../support/random/seed.ts';

/** How many gateways to kill; `npm run test:kills` sets more. */
const kills = Number(process.env.KILLS ?? 3);
/** A workspace has at most twenty webhooks. */
const webhooks = Math.min(kills, 15);

let model: Awaited<ReturnType<typeof startEchoModel>>;
let world: KillWorld;
let headers: Record<string, string>;

beforeAll(async () => {
  model = await startEchoModel(4);
  world = await openKillWorld({ ...model.env, FETCH_ALLOW_HOSTS: '127.0.0.1' });
});
afterAll(async () => {
  await world.close();
  await model.close();
});

type Sent = { key: string; path: string; body: object; answer?: string };

const mutation = (name: string, input: string, row: string) => ({
  query: `mutation { ${name}(input: ${input}) { ${row} { id createdAt } } }`,
});

/** One write of each kind: a statement, a transaction, several fields, with jobs, with an outside call. */
function writesOf(round: number): Sent[] {
  const name = `mark-${round}`;
  const source = `{ type: faq, file: { data: { question: "Q", answer: "A" } } }`;
  const graphql = [
    ['agent', mutation('createAgent', `{ name: "${name}" }`, 'agent')],
    ...(round < webhooks
      ? [['webhook', mutation('createWebhook', `{ url: "https://nobody.invalid/${name}" }`, 'webhook')] as const]
      : []),
    ['base', mutation('createBase', `{ description: "${name}", sources: [${source}] }`, 'base')],
    ['copy', mutation('generateCopy', `{ promptId: "${name}", prompt: "${name}", copies: 1 }`, 'copies')],
    ['plugin', mutation('importPlugin', `{ url: "${describedApi}?${name}" }`, 'plugin')],
  ] as const;
  return [
    { key: `${round}-lead`, path: '/rest/leads', body: { name } },
    ...graphql.map(([kind, body]) => ({ key: `${round}-${kind}`, path: '/graphql', body })),
  ];
}

const post = (gateway: GatewayProcess, { key, path, body }: Sent): Promise<Response> =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': key },
    body: JSON.stringify(body),
  });

/** Sends a write to a gateway that may die, and keeps the answer if there is one. Never rejects. */
async function attempt(gateway: GatewayProcess, sent: Sent): Promise<void> {
  try {
    const response = await post(gateway, sent);
    const text = await response.text();
    if (response.status === 200 && !text.includes('"errors"')) sent.answer = text;
  } catch {
    // The gateway died.
  }
}

/** The final answer, from a live gateway. Fails if none arrives. */
async function settle(gateway: GatewayProcess, sent: Sent): Promise<string> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const response = await post(gateway, sent);
    const text = await response.text();
    if (response.status === 200 && !text.includes('"errors"')) return text;
    if (Date.now() > deadline || !text.includes('request_in_progress'))
      throw new Error(`${sent.key} is stuck: ${text}`);
    await sleep(20);
  }
}

test(
  `writes of gateways that are killed at random, ${kills} of them, are kept once when they are sent again`,
  async () => {
    const random = randomOf(seed);
    let victim = await world.start();
    headers = { authorization: `Bearer ${await ownerToken(world.env)}`, 'content-type': 'application/json' };
    const sent: Sent[] = [];
    for (let round = 0; round < kills; round++) {
      const next = world.starting();
      const writes = writesOf(round);
      sent.push(...writes);
      const gateway = victim;
      const all = () => Promise.all(writes.map((write) => attempt(gateway, write)));
      await endAtRandom(victim, random, all, { statements: 90, ms: 250 });
      // Ages the leases by fifteen seconds.
      const where = { aliveUntil: { not: null } };
      await world.handle?.client.idempotency.updateMany({ where, data: { aliveUntil: new Date(0) } });
      victim = (await next) ?? (await world.start());
      for (const write of writes) {
        const answer = await settle(victim, write);
        expect(answer).toBe(write.answer ?? answer);
        write.answer = answer;
      }
      for (const write of writes) expect(await settle(victim, write)).toBe(write.answer);
    }
    for (const write of sent.slice(-12)) expect(await settle(victim, write)).toBe(write.answer);
    await victim.kill('SIGTERM');
    await world.withDatabase(async ({ client }) => {
      const named = { startsWith: 'mark-' };
      expect({
        leads: await client.lead.count({ where: { name: named } }),
        agents: await client.agent.count({ where: { name: named } }),
        webhooks: await client.webhook.count({ where: { url: { contains: 'mark-' } } }),
        bases: await client.base.count({ where: { description: named } }),
        sources: await client.source.count({ where: { base: { description: named } } }),
        copies: await client.copy.count({ where: { promptId: named } }),
        plugins: await client.plugin.count({ where: { nameForHuman: 'Orders' } }),
        interfaces: await client.pluginInterface.count({ where: { title: 'Orders' } }),
        open: await client.idempotency.count({ where: { aliveUntil: { not: null } } }),
      }).toEqual({
        leads: kills,
        agents: kills,
        webhooks,
        bases: kills,
        sources: kills,
        copies: kills,
        plugins: kills,
        interfaces: kills,
        open: 0,
      });
    });
  },
  60_000 + kills * 60_000,
);
