import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Fallback, telemetry } from '../../src/core/telemetry.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { statementsOf } from '../support/database/database.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let bothWays: BothWays;
let world: World;
/** Why resolvers answered although a compiled statement had run. */
let fallbacks: Fallback[] = [];

beforeAll(async () => {
  bothWays = new BothWays(gateway);
  world = await makeWorld(gateway);
  return telemetry.fallback.subscribe(({ reason }) => fallbacks.push(reason));
});
beforeEach(() => {
  fallbacks = [];
});

const isCompiled = (text: string) => text.includes('SELECT \'{"data"');
const absent = 'agt_00000000000000000000000000';

describe('bad input', () => {
  test.each(['{ agent(id: "a\\u0000") { id } }', '{ agents(search: "\\u0000") { totalCount } }'])(
    'that no database can hold is known from the document: %s',
    async (query) => {
      const { result, statements } = await statementsOf(() => bothWays.ask(world.owner, { query }));
      expect(result.compiled).toEqual(result.resolvers);
      expect(result.compiled.body).toContain('NUL');
      expect(statements.filter(isCompiled)).toEqual([]);
      expect(JSON.parse(bothWays.said)).toMatchObject({ level: 20, msg: 'not compiled' });
      expect(fallbacks).toEqual([]);
    },
  );

  test.each<Record<string, string>>([{}, { 'idempotency-key': 'k' }])(
    'that names what is not there is no warning, with %j',
    async (headers) => {
      const query =
        'mutation ($agentId: ID!) { createChannel(input: { agentId: $agentId, platform: api }) { channel { id } } }';
      const { compiled, resolvers } = await bothWays.ask(
        world.owner,
        { query, variables: { agentId: absent } },
        headers,
      );
      expect(compiled).toEqual(resolvers);
      expect(compiled.body).toContain('"code":"not_found"');
      expect(JSON.parse(bothWays.said)).toMatchObject({ level: 20, msg: 'compiled, but resolvers answer' });
      expect(fallbacks).toEqual(['constraint']);
    },
  );
});

test('a root field that fails unexpectedly has its error beside the rest', async () => {
  const [choice] = gateway.services.model.choices;
  if (!choice) throw new Error('There is no model.');
  const broken = vi.spyOn(choice.breaker, 'openForMs').mockImplementation(() => {
    throw new TypeError('not foreseen');
  });
  onTestFinished(() => broken.mockRestore());
  const query = '{ agents(first: 1) { nodes { id } } models { restsFor } }';
  const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
  expect(resolvers.body).toContain('"code":"internal_error"');
  expect(compiled).toEqual({ ...resolvers, served: true });
  expect(broken).toHaveBeenCalledTimes(2);
  expect(fallbacks).toEqual([]);
});

test('a root field that cannot reach the database once is tried again by the resolvers', async () => {
  const [choice] = gateway.services.model.choices;
  if (!choice) throw new Error('There is no model.');
  const broken = vi.spyOn(choice.breaker, 'openForMs').mockImplementationOnce(() => {
    throw Object.assign(new Error('terminating connection'), { severity: 'FATAL', code: '57P01' });
  });
  onTestFinished(() => broken.mockRestore());
  const { compiled, resolvers } = await bothWays.ask(world.owner, {
    query: '{ agents(first: 1) { nodes { id } } models { restsFor } }',
  });
  expect([compiled.status, compiled.body]).toEqual([200, resolvers.body]);
  expect(compiled.body).not.toContain('"errors"');
  expect(fallbacks).toEqual(['database']);
});

describe('what only the statement knows is counted:', () => {
  test.each([
    [
      'a change of a lead that is not there',
      'mutation { updateLead(input: { id: "led_0", name: "Ana" }) { lead { id } } }',
      'not_written',
    ],
    [
      'a change of a row that is not there',
      'mutation { deleteLead(input: { id: "led_0" }) { deletedId } }',
      'not_written',
    ],
    [
      'a field of a row that fails',
      '{ agents(first: 1) { nodes { id } } conversations(first: 2) { nodes { messages(search: "a", first: -1) { totalCount } } } }',
      null,
    ],
  ] as const)('%s', async (_what, query, reason) => {
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
    expect(resolvers.body).toContain('"errors"');
    expect(compiled.body).toBe(resolvers.body);
    expect(fallbacks).toEqual(reason ? [reason] : []);
  });

  test('a row that is not there, by REST', async () => {
    const { compiled, resolvers } = await bothWays.request(world.owner, '/rest/bases/bas_0', {});
    expect([compiled.status, compiled.body]).toEqual([404, resolvers.body]);
    expect(fallbacks).toEqual(['no_row']);
  });
});
