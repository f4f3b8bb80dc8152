import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { roles } from '../support/auth/access.ts';
import { makeKey } from '../support/auth/keys.ts';
import { isLimited } from '../support/database/cluster-limits.ts';
import { statementsOf } from '../support/database/database.ts';
import { type Gateway, openGateway, useGateway } from '../support/gateway/app.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const usual = useGateway();
let gateway: Gateway;
let world: World;
beforeAll(async () => {
  gateway = await openGateway({ EXPLAIN_SQL: 'on' });
  world = await makeWorld(gateway);
});
afterAll(() => gateway?.close());

type Bearer = Parameters<Gateway['rest']>[0];
const query = 'query Leads($search: String) { leads(first: 5, search: $search) { nodes { id name } } }';
const sqlOf = (body: unknown, bearer: Bearer = world.owner, on = gateway) =>
  on.rest(bearer, 'POST', '/graphiql/sql', body);

describe('the SQL of an operation', () => {
  test('is one statement of a compiled query, with its values as parameters and its plan, and is not executed', async () => {
    const { result, recorded } = await statementsOf(() => sqlOf({ query, variables: { search: 'Zacarias' } }));
    const { status, body } = result;
    expect([status, body.by, body.note, body.statements.length]).toEqual([200, 'compiled query', null, 1]);
    const [{ text, values, plan }] = body.statements;
    expect(text).toMatch(/FROM "Lead"/);
    expect(text).not.toMatch(/zacarias/i);
    expect(JSON.stringify(values)).toMatch(/zacarias/i);
    expect(plan.join('\n')).toMatch(/\(cost=.*rows=/);
    expect(plan.join('\n')).not.toMatch(/actual time/);
    expect(recorded.filter((one) => one.text === text)).toEqual([]);
  });

  test.skipIf(isLimited('oneStatement'))(
    'of a mutation shows no values, which may be secrets, and writes nothing',
    async () => {
      const { body } = await sqlOf({ query: 'mutation { createLead(input: {name: "Never"}) { lead { id } } }' });
      expect(body).toMatchObject({ by: 'compiled query', statements: [{ values: null, plan: expect.any(Array) }] });
      expect(body.statements[0].text).toMatch(/INSERT INTO "Lead"/);
      const two =
        'mutation { a: createLead(input: {name: "Never"}) { lead { id } } b: createLead(input: {name: "Never"}) { lead { id } } }';
      expect((await sqlOf({ query: two })).body).toMatchObject({ by: 'resolvers', statements: [] });
      expect(await gateway.database.lead.count({ where: { name: 'Never' } })).toBe(0);
    },
  );

  test('of what the resolvers answer is the list of their statements', async () => {
    const { body } = await sqlOf({
      query: '{ conversations(search: "a") { edges { match { rank } } } rateLimit { limit } }',
    });
    expect(body).toMatchObject({ by: 'resolvers', note: expect.stringContaining('executed') });
    expect(body.statements.length).toBeGreaterThan(1);
    const ofConversations = body.statements.find(({ text }: { text: string }) => text.includes('"Conversation"'));
    expect(ofConversations.plan.join('\n')).toMatch(/rows=/);
  });

  test('names the fields that are left to their resolvers', async () => {
    const { body } = await sqlOf({ query: '{ rateLimit { limit } leads(first: 1) { nodes { id } } }' });
    expect(body).toMatchObject({ by: 'compiled query', note: expect.stringContaining('Query.rateLimit') });
    expect(body.statements).toHaveLength(1);
  });

  test('is for owners with their own token: not for other roles, apps, keys, and tokens that apps made', async () => {
    for (const role of roles) {
      const { status, body } = await sqlOf({ query }, world[role]);
      expect({ role, status }).toEqual({ role, status: role === 'owner' ? 200 : 403 });
      if (status === 403) expect(body).toEqual({ code: 'forbidden', message: expect.not.stringMatching(/SELECT/) });
    }
    const key = await makeKey(gateway, world.owner, { scopes: ['leads.read'] });
    expect((await sqlOf({ query }, key)).body.code).toBe('forbidden');
    expect((await sqlOf({ query }, { ...world.owner, credential: 'minted', appId: world.ids.appId })).body.code).toBe(
      'forbidden',
    );
    expect((await sqlOf({ query }, null)).body.code).toBe('unauthorized');
  });

  test('is refused for an invalid operation, and shows the rows of no other workspace', async () => {
    expect((await sqlOf({ query: '{ nope }' })).body.code).toBe('invalid_request');
    expect((await sqlOf({ operation: query })).body.code).toBe('invalid_request');
    const other = await makeWorld(gateway);
    const { body } = await sqlOf({ query }, other.owner);
    expect(body.statements[0].values).toContain(other.id);
    expect(body.statements[0].values).not.toContain(world.id);
  });

  test('is nowhere while the setting is off, not even for owners', async () => {
    const { owner } = await makeWorld(usual);
    expect((await sqlOf({ query }, owner, usual)).body.code).toBe('not_found');
    const html = async (on: Gateway) => (await on.app.request('/graphql', { headers: { accept: 'text/html' } })).text();
    expect(await html(usual)).toContain('"sql":false');
    expect(await html(gateway)).toContain('"sql":true');
  });
});
