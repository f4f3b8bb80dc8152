import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { BothWays } from '../support/compiled/both-ways.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let bothWays: BothWays;
let world: World;
beforeAll(async () => {
  bothWays = new BothWays(gateway);
  world = await makeWorld(gateway);
});
afterEach(() => vi.restoreAllMocks());

/** Changes a row by SQL as soon as the gateway has read it, by this method, to prepare its own change. */
function changeOnceRead(reader: object, method: string, text: string, id: string): void {
  const methods = reader as Record<string, (given: unknown) => Promise<unknown>>;
  const real = methods[method]?.bind(reader);
  let isChanged = false;
  vi.spyOn(methods, method).mockImplementation(async (given) => {
    const found = await real?.(given);
    if (!isChanged && JSON.stringify(found)?.includes(id)) {
      isChanged = true;
      await gateway.handle.pool.query(text, [world.id, id]);
    }
    return found;
  });
}

describe.each(['compiled', 'resolvers'] as const)('what another changes after it was read, %s', (by) => {
  const ask = async (query: string, variables: object) => {
    const { body } = await bothWays.askOne(by, world.owner, { query, variables });
    return JSON.parse(body);
  };

  test('makes a lead complete together with the change', async () => {
    // A name in other than Latin letters is read before its lead is changed.
    const made = await ask('mutation { createLead(input: { name: "Анна" }) { lead { id capture } } }', {});
    const { id, capture } = made.data.createLead.lead;
    expect(capture).toBe('partial');
    const mail = `UPDATE "Lead" SET "email" = 'ana@example.com' WHERE "workspaceId" = $1 AND "id" = $2`;
    changeOnceRead(gateway.handle.pool, 'read', mail, id);
    const query =
      'mutation ($id: ID!) { updateLead(input: { id: $id, company: "Acme" }) { lead { email company capture } } }';
    const { data } = await ask(query, { id });
    expect(data.updateLead.lead).toEqual({ email: 'ana@example.com', company: 'Acme', capture: 'completed' });
    const found = await ask('{ leads(search: "ana@example.com") { nodes { id } } }', {});
    expect(found.data.leads.nodes).toContainEqual({ id });
  });

  test('decides whether a field may have options', async () => {
    const name = `Since when ${by}`;
    const create = 'mutation ($name: String!) { createField(input: { name: $name, type: text }) { field { id } } }';
    const { id } = (await ask(create, { name })).data.createField.field;
    const choice = `UPDATE "Field" SET "type" = 'choice', "options" = '{a}' WHERE "workspaceId" = $1 AND "id" = $2`;
    changeOnceRead(gateway.database.field, 'findFirst', choice, id);
    const query = 'mutation ($id: ID!) { updateField(input: { id: $id, options: [] }) { field { id } } }';
    expect(await ask(query, { id })).toMatchObject({
      errors: [{ message: expect.stringContaining('needs at least one option') }],
    });
  });
});
