import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { endAtRandom, type KillWorld, openKillWorld } from '../support/faults/kill-world.ts';
import { type GatewayProcess, ownerToken } from '../support/gateway/gateway-process.ts';
import { startEchoModel } from '../support/model/echo-model.ts';
import { randomOf } from '../support/random/random.ts';
import { seed } from '../support/random/seed.ts';

/** How many gateways to kill; `npm run test:kills` sets more. */
const kills = Number(process.env.KILLS ?? 2);

let model: Awaited<ReturnType<typeof startEchoModel>>;
let world: KillWorld;
let headers: Record<string, string>;

beforeAll(async () => {
  model = await startEchoModel(4);
  world = await openKillWorld(model.env);
});
afterAll(async () => {
  await world.close();
  await model.close();
});

type Sent = { key: string; body: object; stream: boolean; answer?: string };

const get = async (gateway: GatewayProcess, at: string) =>
  (await fetch(`${gateway.url}${at}`, { headers })).json() as Promise<any>;

function post(gateway: GatewayProcess, agentId: string, { key, body }: Sent, more: object = {}): Promise<Response> {
  return fetch(`${gateway.url}/api/${agentId}`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': key, ...more },
    body: JSON.stringify(body),
  });
}

/** Sends a message to a gateway that may die, and keeps the answer if there is one. Never rejects. */
async function attempt(gateway: GatewayProcess, agentId: string, sent: Sent): Promise<void> {
  try {
    const response = await post(gateway, agentId, sent, sent.stream ? { accept: 'text/event-stream' } : {});
    if (!sent.stream && response.status === 200) sent.answer = await response.text();
    if (!sent.stream || response.status !== 200) return;
    const events = readEvents(response);
    for (let event = await events.next(); event; event = await events.next()) {
      if (event.data.type === 'data-turn') sent.answer = JSON.stringify(event.data.data);
    }
  } catch {
    // The gateway died.
  }
}

/** The final answer, from a live gateway. Fails if none arrives. */
async function settle(gateway: GatewayProcess, agentId: string, sent: Sent): Promise<string> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const response = await post(gateway, agentId, sent);
    const text = await response.text();
    if (response.status === 200) return text;
    if (Date.now() > deadline || response.status !== 409) throw new Error(`${sent.key} is stuck: ${text}`);
    await sleep(20);
  }
}

/** Creates a webhook for all events. */
async function listen(gateway: GatewayProcess): Promise<void> {
  const query = 'mutation { createWebhook(input: { url: "https://nobody.invalid/" }) { webhook { id } } }';
  const response = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  expect(((await response.json()) as { errors?: unknown }).errors).toBeUndefined();
}

/** Sends one more message and shuts down: the gateway must answer it first. */
async function leaveToItself(gateway: GatewayProcess, agentId: string, sent: Sent[]): Promise<void> {
  const last: Sent = { key: 'left', body: { message: { content: 'mark-left' } }, stream: true };
  const events = readEvents(await post(gateway, agentId, last, { accept: 'text/event-stream' }));
  await events.next();
  await events.leave();
  sent.push(last);
}

async function tell({ client, kind }: DatabaseHandle, answered: number): Promise<void> {
  const open = await client.turn.count({ where: { state: 'failed' } });
  const turns = `${3 * kills} turns: ${answered} were answered before, ${open} were open`;
  process.stdout.write(`${kills} kills of gateways on ${kind} in the middle of ${turns}\n`);
}

test(
  `gateways that are killed at random, ${kills} of them, lose nothing, double nothing and leave nothing stuck`,
  async () => {
    const random = randomOf(seed);
    let victim = await world.start();
    headers = { authorization: `Bearer ${await ownerToken(world.env)}`, 'content-type': 'application/json' };
    const [{ id: agentId }] = (await get(victim, '/rest/agents')).data;
    await listen(victim);
    const before = (await get(victim, '/rest/interactions')).current as number;
    const opening: Sent = { key: 'opening', body: { message: { content: 'mark-opening' } }, stream: false };
    opening.answer = await settle(victim, agentId, opening);
    const { id } = JSON.parse(opening.answer);
    const sent = [opening];
    let survivors = 0;

    for (let round = 0; round < kills; round++) {
      const next = world.starting();
      const name = (turn: string) => `${round}-${turn}`;
      const about = (turn: string, more = '') => ({ message: { content: `mark-${name(turn)}${more}` } });
      const turns: Sent[] = [
        {
          key: name('new'),
          body: about('new', `. My name is Ana Souza, my email is ana${round}@kill.example`),
          stream: false,
        },
        { key: name('stream'), body: { id, ...about('stream') }, stream: true },
        { key: name('after'), body: { id, ...about('after') }, stream: false },
      ];
      sent.push(...turns);
      await endAtRandom(victim, random, () => Promise.all(turns.map((turn) => attempt(victim, agentId, turn))));
      survivors += turns.filter(({ answer }) => answer).length;
      // Ages the rows by fifteen seconds.
      await world.handle?.client.turn.updateMany({ where: { state: 'open' }, data: { aliveUntil: new Date(0) } });
      victim = (await next) ?? (await world.start());
      for (const turn of turns) {
        const answer = await settle(victim, agentId, turn);
        expect(answer).toBe(turn.answer ?? answer);
        turn.answer = answer;
      }
      expect((await get(victim, '/rest/interactions')).current).toBe(before + sent.length);
    }

    for (const turn of sent.slice(-9)) expect(await settle(victim, agentId, turn)).toBe(turn.answer);
    await leaveToItself(victim, agentId, sent);
    await victim.kill('SIGTERM');
    await world.withDatabase(async (database) => {
      await expectWhole(database, sent, id);
      if (process.env.KILLS) await tell(database, survivors);
    });
  },
  60_000 + kills * 60_000,
);

/** Each message exists once, with its reply; no turn is open; positions have no gap; each event exists once. */
async function expectWhole({ client, pool }: DatabaseHandle, sent: Sent[], shared: string): Promise<void> {
  const { rows: heard } = await pool.query(
    `SELECT "role", substring("content" from 'mark-[a-z0-9-]+') AS "mark", count(*)::int AS "count" FROM "Message"
     WHERE "content" LIKE '%mark-%' GROUP BY 1, 2`,
  );
  const marks = sent.map(({ body }) => /mark-[\w-]+/.exec(JSON.stringify(body))?.[0]);
  const expected = marks.flatMap((mark) => ['assistant', 'user'].map((role) => ({ role, mark, count: 1 })));
  const order = (row: { role: string; mark: string }) => `${row.mark} ${row.role}`;
  expect(heard.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))).toEqual(
    expected.toSorted((a, b) => (order(a as never) < order(b as never) ? -1 : 1)),
  );
  for (const { answer } of sent) {
    const [reply] = JSON.parse(answer ?? '{}').messages ?? [];
    if (reply) expect(await client.message.count({ where: { id: reply.id, content: reply.content } })).toBe(1);
  }
  const { rows: gaps } = await pool.query(
    `SELECT c."id" FROM "Conversation" c JOIN "Message" m ON (m."workspaceId", m."conversationId") = (c."workspaceId", c."id")
     GROUP BY c."workspaceId", c."id" HAVING min(m."position") <> 0 OR max(m."position") <> count(*) - 1 OR c."messageCount" <> count(*)`,
  );
  expect(gaps).toEqual([]);
  expect(await client.message.count({ where: { conversationId: shared } })).toBe(2 + 4 * kills);
  expect(await client.turn.count({ where: { state: 'open' } })).toBe(0);
  expect(await client.conversation.count({ where: { turnId: { not: null } } })).toBe(0);
  expect(await client.turn.count({ where: { state: 'answered', month: { not: null } } })).toBe(sent.length);
  expect(await client.lead.count({ where: { email: { endsWith: '@kill.example' } } })).toBe(kills);
  const { rows: told } = await pool.query(
    `SELECT count(*)::int AS "events", count(DISTINCT e."data"->>'messageId')::int AS "messages" FROM "OutboxEvent" e
     JOIN "Message" m ON m."workspaceId" = e."workspaceId" AND m."id" = e."data"->>'messageId' WHERE e."type" = 'message.created'`,
  );
  expect(told).toEqual([{ events: 2 * sent.length, messages: 2 * sent.length }]);
  expect(await client.outboxEvent.count({ where: { type: 'message.created' } })).toBe(2 * sent.length);
  expect(await client.outboxEvent.count({ where: { type: 'lead.created' } })).toBe(kills);
  expect(await client.outboxEvent.count({ where: { deliveries: { none: {} } } })).toBe(0);
}
