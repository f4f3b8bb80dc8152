import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { BothWays, difference } from '../support/compiled/both-ways.ts';
import { statementsOf, withoutLimits } from '../support/database/database.ts';
import { scansOf } from '../support/database/plans.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { casesOf } from '../support/random/cases.ts';
import { options, seed } from '../support/random/seed.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
let bothWays: BothWays;
type Keyed = { id: string; custom: Record<string, any>; utm: Record<string, any> };
let leads: Keyed[];

const names = fc.constantFrom('plan', 'seats', 'Ação', "it's", 'a.b', '__proto__x', '$', '?', '');
const values = fc.constantFrom<unknown>(
  'pro',
  'PRO',
  '5',
  5,
  5.5,
  0,
  true,
  false,
  null,
  '',
  '%',
  ['pro', 'x'],
  [5],
  { plan: 'pro' },
  [],
);
const objects = fc.dictionary(names, values, { maxKeys: 4 });
const given = fc.constantFrom<unknown>('pro', 'PRO', '5', 5, 5.5, 5.0, 0, true, false, '', '%', 'x');
const condition = fc.record(
  { key: names.filter(Boolean), equals: given, includes: given, exists: fc.boolean() },
  { requiredKeys: ['key'] },
);
type Condition = { key: string; equals?: unknown; includes?: unknown; exists?: boolean };

const meets = (object: Record<string, any>, { key, equals, includes, exists }: Condition) => {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return (
    (equals === undefined || value === equals) &&
    (includes === undefined || (Array.isArray(value) && value.includes(includes))) &&
    (exists === undefined || (value !== undefined && value !== null) === exists)
  );
};

beforeAll(async () => {
  world = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
  const workspaceId = world.id;
  await gateway.database.conversation.updateMany({ where: { workspaceId }, data: { leadId: null } });
  await gateway.database.lead.deleteMany({ where: { workspaceId } });
  const made = fc.sample(fc.record({ custom: objects, utm: objects }), { seed, numRuns: 90 });
  leads = made.map((lead) => ({ ...lead, id: newId('lead') }));
  await gateway.database.lead.createMany({
    data: leads.map((lead) => ({ ...lead, name: 'Ana', workspaceId })) as never,
  });
});

const query = `query ($filter: LeadFilter, $agent: ID!) {
  leads(first: 100, filter: $filter) { totalCount nodes { id } groups { nodes { count(filter: $filter) } } }
  agent(id: $agent) { leads(filter: $filter) { totalCount } }
  conversations(filter: { lead: $filter }) { totalCount }
}`;

describe('conditions on keys', () => {
  test('find what JavaScript finds, and their opposite the rest, both ways of answering', {
    timeout: 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(condition, { minLength: 1, maxLength: 2 }),
        fc.constantFrom('custom' as const, 'utm' as const),
        fc.boolean(),
        async (conditions, column, isNot) => {
          const filter = isNot ? { not: { [column]: conditions } } : { [column]: conditions };
          const variables = { filter, agent: world.ids.agentId };
          const { compiled, resolvers } = await bothWays.ask(world.viewer, { query, variables });
          if (compiled.body !== resolvers.body) throw new Error(difference(compiled.body, resolvers.body));
          expect(compiled.served, bothWays.said).toBe(true);
          const { data, errors } = JSON.parse(resolvers.body);
          expect(errors).toBeUndefined();
          const met = leads.filter((lead) => conditions.every((one) => meets(lead[column], one)) !== isNot);
          const ids = data.leads.nodes.map(({ id }: Keyed) => id);
          expect(ids.sort()).toEqual(met.map(({ id }) => id).sort());
          expect(data.leads.totalCount).toBe(met.length);
          expect(data.leads.groups.nodes).toEqual([{ count: met.length }]);
        },
      ),
      options(casesOf(60), 'keys'),
    );
  });

  test.each<[string, object, RegExp]>([
    ['an empty key', { key: '', exists: true }, /^filter\.custom\.0\.key: must have 1 to 200 characters/],
    ['a long key', { key: 'x'.repeat(201) }, /^filter\.custom\.0\.key: must have 1 to 200 characters/],
    ['half a character', { key: 'a', equals: '\ud800' }, /custom/],
    [
      'an object',
      { key: 'a', equals: { b: 1 } },
      /^filter\.custom\.0\.equals: must be a string, a number, true or false/,
    ],
    ['a list', { key: 'a', includes: [1] }, /^filter\.custom\.0\.includes: must be a string, a number, true or false/],
    ['a long text', { key: 'a', equals: 'x'.repeat(501) }, /^filter\.custom\.0\.equals: must have at most 500/],
    ['U+0000', { key: 'a', equals: 'b\0' }, /custom/],
  ])('%s is refused', async (_, one, message) => {
    const text = 'query ($filter: LeadFilter) { leads(filter: $filter) { totalCount } }';
    for (const filter of [{ custom: [one] }]) {
      expectFailure(await gateway.graphql(world.viewer, text, { filter }), 'invalid_request', message);
    }
    const many = { custom: Array(101).fill({ key: 'a' }) };
    expectFailure(
      await gateway.graphql(world.viewer, text, { filter: many }),
      'invalid_request',
      /at most 100 conditions/,
    );
  });

  test('of what a person says take the permission to read the list, those of campaigns do not', async () => {
    const secret = await gateway.data(
      world.owner,
      'mutation { createKey(input: { name: "a", scopes: ["analytics.read"] }) { secret } }',
    );
    const ask = (filter: string) =>
      gateway.graphql(secret.createKey.secret, `{ leads(filter: ${filter}) { totalCount } }`);
    expectFailure(
      await ask('{ custom: [{ key: "plan", exists: true }] }'),
      'forbidden',
      /^filter\.custom: .*leads\.read/,
    );
    expectFailure(await ask('{ not: { custom: [{ key: "plan" }] } }'), 'forbidden', /leads\.read/);
    expect((await ask('{ utm: [{ key: "plan", exists: true }] }')).errors).toBeUndefined();
  });

  const isPostgres = Boolean(process.env.TEST_DATABASE_URL);
  test.skipIf(!isPostgres)('are looked up by an index where there are many rows', { timeout: 120_000 }, async () => {
    await withoutLimits(gateway.services.pool, async (client) => {
      await client.query(`INSERT INTO "Lead" ("id", "workspaceId", "custom", "utm", "updatedAt")
        SELECT 'led_many' || n, '${world.id}', CASE WHEN n % 500 = 0 THEN jsonb_build_object('tier', 'gold' || n % 7) ELSE '{}' END,
          jsonb_build_object('campaign', 'c' || n % 900), now() FROM generate_series(1, 20000) n`);
      await client.query(`INSERT INTO "Conversation" ("id", "workspaceId", "agentId", "channelId", "context", "updatedAt")
        SELECT 'cnv_many' || n, "workspaceId", "agentId", "channelId", jsonb_build_object('page', 'p' || n % 900), now()
        FROM (SELECT * FROM "Conversation" WHERE "workspaceId" = '${world.id}' LIMIT 1) c, generate_series(1, 20000) n`);
      await client.query('VACUUM ANALYZE "Lead"');
      await client.query('VACUUM ANALYZE "Conversation"');
    });
    const scans = async (list: string, filter: string) => {
      const text = `{ ${list}(first: 20, filter: ${filter}) { totalCount nodes { id } } }`;
      const { result, recorded } = await statementsOf(() => bothWays.ask(world.viewer, { query: text }));
      expect(result.compiled.served).toBe(true);
      const found = JSON.parse(result.compiled.body).data[list].totalCount;
      expect(found).toBeGreaterThan(0);
      const read = [];
      for (const one of recorded.filter((each) => each.text.includes("'{}'::jsonb"))) {
        // Row estimates depend on the value; PostgreSQL does not choose the costlier generic plan.
        read.push(...(await scansOf(gateway.handle, one, ['force_custom_plan'])));
      }
      return read.filter(({ table }) => table === 'Lead' || table === 'Conversation');
    };
    for (const [list, filter] of [
      ['leads', '{ custom: [{ key: "tier", equals: "gold3" }] }'],
      ['leads', '{ custom: [{ key: "tier", exists: true }] }'],
      ['leads', '{ utm: [{ key: "campaign", equals: "c3" }] }'],
      ['conversations', '{ context: [{ key: "page", equals: "p3" }] }'],
    ] as const) {
      const read = await scans(list, filter);
      expect(read.length, filter).toBeGreaterThan(0);
      for (const scan of read) expect(scan.rows, `${filter}: ${scan.how}`).toBeLessThan(200);
    }
  });
});
