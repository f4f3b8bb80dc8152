import { describe, expect, test } from 'vitest';
import { permissions } from '../../src/core/permissions.ts';
import { accessOf, roles, rolesFor } from '../support/auth/access.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { ask } from '../support/gateway/ask.ts';
import { documentOf, rootFields, roots } from '../support/graphql/shape.ts';
import { oneOfEach } from '../support/random/cases.ts';
import { call, operations, requests } from '../support/rest/operations.ts';
import { variablesOf } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();

let shared: Promise<World> | undefined;

/** Operations that write get their own world. */
function worldFor(change: boolean): Promise<World> {
  if (change) return makeWorld(gateway);
  shared ??= makeWorld(gateway);
  return shared;
}

describe('whoever may do it, and nobody else, is let through by', () => {
  const fields = roots.flatMap((root) => rootFields(root).map((field) => [field.name, root, field] as const));

  test.each(fields)('%s', async (name, root, field) => {
    const may = rolesFor(name);
    const world = await worldFor(root !== 'Query');
    let succeeded = false;
    for (const role of roles) {
      const answer = await ask(gateway, world[role], documentOf(root, field, 0), variablesOf(field, world.ids));
      // Nested fields may require more permissions; only errors of the field itself count.
      const isForbidden = (answer.errors ?? []).some(
        ({ path = [], extensions }) => path.length < 2 && extensions.code === 'forbidden',
      );
      expect({ role, isForbidden }).toEqual({ role, isForbidden: !may.includes(role) });
      // An earlier operation may have removed a row or taken a name.
      const isNobodyElses =
        (accessOf[name] === 'invitees' && role !== 'owner') ||
        // Only owners and admins may revoke another member's key.
        (name === 'revokeKey' && role !== 'owner' && role !== 'admin');
      if (!isForbidden && !succeeded && !isNobodyElses) expect(answer.errors).toBeUndefined();
      succeeded ||= !isForbidden && !isNobodyElses;
    }
  });

  // Routes ask the graph.
  const called = operations.map((operation) => [operation.operationId, operation] as const);
  test.each(oneOfEach(called, ([, { method, root }]) => `${method} ${accessOf[root]}`))(
    'REST %s',
    async (id, operation) => {
      const request = requests[id];
      if (!request) throw new Error(`${id} has no fixture: add one to test/support/rest/operations.ts`);
      const may = rolesFor(operation.root);
      const world = await worldFor(operation.method !== 'GET');
      let succeeded = false;
      for (const role of roles) {
        const { status, body } = await call(gateway, world[role], operation, request(world.ids));
        expect({ role, isForbidden: status === 403 }).toEqual({ role, isForbidden: !may.includes(role) });
        if (status === 403) expect(body).toEqual({ code: 'forbidden', message: expect.stringMatching(/role|person/) });
        if (status !== 403 && !succeeded) expect({ status, body }).toMatchObject({ status: 200 });
        succeeded ||= status !== 403;
      }
    },
  );
});

test('every permission of the table is asked for somewhere', () => {
  const asked = new Set<string>(Object.values(accessOf));
  // These apply inside an operation: who sees a trace, who may aggregate a list, and whose secret is
  // shown in full.
  expect(Object.keys(permissions).filter((permission) => !asked.has(permission))).toEqual([
    'traces.read',
    'traces.failures',
    'analytics.read',
    'apps.secret',
  ]);
});

test('only an owner makes, changes or removes an owner', async () => {
  const { ids, admin, owner } = await makeWorld(gateway);
  const { membershipId: id } = ids;
  const attempts = [
    ['inviteMember', { email: 'owner@example.com', name: 'Ana', role: 'owner' }],
    ['updateMember', { id, role: 'owner' }],
    ['updateMember', { id, role: 'admin' }],
    ['updateMember', { id, role: 'owner' }],
    ['removeMember', { id }],
  ] as const;
  for (const [name, input] of attempts) {
    const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
    const document = `mutation ($input: ${type}!) { ${name}(input: $input) { membership { id } } }`;
    expectFailure(await gateway.graphql(admin, document, { input }), 'forbidden', /owner/);
    await gateway.data(owner, document, { input });
  }
});

test('an app secret is shown in full to owners and admins only', async () => {
  const world = await makeWorld(gateway);
  const secret = await gateway.bearer(world.app);
  const masked = `${secret.slice(0, 4)}••••${secret.slice(-4)}`;
  for (const role of roles) {
    const { app } = await gateway.data(world[role], '{ app(id: "portal") { secret } }');
    expect({ role, ...app }).toEqual({ role, secret: ['owner', 'admin'].includes(role) ? secret : masked });
  }
});
