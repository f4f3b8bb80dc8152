import { afterEach, describe, expect, test, vi } from 'vitest';
import { databaseTime } from '../../src/database/clock.ts';
import { readStreams } from '../../src/domain/turns/stream-store.ts';
import { sweepTurns } from '../../src/domain/turns/sweep.ts';
import { claimDeliveries } from '../../src/domain/webhooks/claims.ts';
import { useLedger } from '../support/conversations/ledger.ts';
import { say } from '../support/conversations/streaming.ts';
import { useApiServer } from '../support/plugins/api-server.ts';
import { useOAuthPlugin } from '../support/plugins/oauth-plugin.ts';

const ledger = useLedger();
const { gateway, world, post, turnOf, die } = ledger;
const plugin = useOAuthPlugin(gateway, useApiServer());

afterEach(() => void vi.useRealTimers());
/** From now on this process's clock is off from the database's by this much. */
const setClock = (skewMs: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skewMs });

const fiveMinutes = 300_000;
const skews = [
  ['five minutes ahead', fiveMinutes],
  ['five minutes behind', -fiveMinutes],
] as const;

// The embedded database runs in this process, and shares its clock.
describe.skipIf(!process.env.TEST_DATABASE_URL).each(skews)('a replica whose clock is %s', (_, skewMs) => {
  /** A turn whose model has not answered yet. */
  async function begun(key: string) {
    world.scripted.held = true;
    const response = post(say(key), { key });
    return { response, call: await world.scripted.next() };
  }

  test('lets the turns of others live', async () => {
    const { response, call } = await begun(`living ${skewMs}`);
    setClock(skewMs);
    expect(await sweepTurns(gateway.services)).toBe(0);
    const { workspaceId, id } = await turnOf(`living ${skewMs}`);
    expect(await readStreams(gateway.database, [{ workspaceId, id, position: 0 }])).toMatchObject([
      { state: 'open', alive: true },
    ]);
    vi.useRealTimers();
    call.end();
    expect((await response).status).toBe(200);
  });

  test('opens turns that others let live', async () => {
    setClock(skewMs);
    const { response, call } = await begun(`opened ${skewMs}`);
    vi.useRealTimers();
    expect(await sweepTurns(gateway.services)).toBe(0);
    call.end();
    expect((await response).status).toBe(200);
  });

  test('ends the turns of a process that died', async () => {
    const { response, call } = await begun(`dead ${skewMs}`);
    await die(`dead ${skewMs}`);
    setClock(skewMs);
    expect(await sweepTurns(gateway.services)).toBe(1);
    vi.useRealTimers();
    call.end();
    expect((await response).status).toBe(503);
  });

  test('waits for the token that another one renews', async () => {
    await plugin.authorize();
    await plugin.inSeconds(-1);
    await gateway.handle.pool.query(
      `UPDATE "Credential" SET "expiresAt" = 'epoch', "refreshingUntil" = statement_timestamp() + interval '1 second'`,
    );
    const { refreshingUntil } = await gateway.database.credential.findFirstOrThrow();
    setClock(skewMs);
    expect((await plugin.read()).status).toBe(200);
    expect((await databaseTime(gateway.database)).getTime()).toBeGreaterThanOrEqual(refreshingUntil?.getTime() ?? 0);
  });

  test('tells no webhook what another one is telling it', async () => {
    const create = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }`;
    const input = { url: 'http://127.0.0.1:9/' };
    const { webhook } = (await gateway.data(world.home.owner, create, { input })).createWebhook;
    await gateway.rest(world.home.app, 'POST', '/rest/leads', { name: `Told ${skewMs}` });
    const claim = () => claimDeliveries(gateway.services, { max: 10, busy: new Map() });
    const claimed = await claim();
    expect(claimed.map(({ webhookId }) => webhookId)).toContain(webhook.id);
    setClock(skewMs);
    const ids = new Set(claimed.map(({ id }) => id));
    expect((await claim()).filter(({ id }) => ids.has(id))).toEqual([]);
    vi.useRealTimers();
    await gateway.database.webhook.deleteMany({ where: { id: webhook.id } });
  });
});
