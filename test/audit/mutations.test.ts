import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { ask } from '../support/gateway/ask.ts';
import { documentOf, rootFields } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { call, operations, requests } from '../support/rest/operations.ts';
import { audited } from '../support/world/audited.ts';
import { inputs } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

/** The entries of a world, other than those that it was made with. */
async function entriesOf(gateway: ReturnType<typeof useGateway>, { id, mark }: World) {
  const rows = await gateway.database.auditEntry.findMany({
    where: { workspaceId: id, type: { not: { startsWith: mark } } },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ actorKind, actorId, action, type, rowId }) => ({ actorKind, actorId, action, type, rowId }));
}

function expectedOf({ ids, owner }: World, name: string) {
  const entry = audited[name];
  if (entry === undefined) throw new Error(`${name} is not in test/support/world/audited.ts`);
  if (entry === null) return [];
  const [action, type, id] = entry;
  const rowId = id ? id(ids) : expect.any(String);
  return [{ actorKind: 'member', actorId: owner.userId, action, type, rowId }];
}

describe.each(['on', 'off'])(
  'with compiled queries %s, one entry names the actor, the action and the row',
  (compiled) => {
    const gateway = useGateway({ COMPILED_QUERIES: compiled });
    const names = rootFields('Mutation').map((field) => [field.name, field] as const);

    // Compiled queries leave what they cannot do to the resolvers: with them, all mutations are tried.
    const tried = compiled === 'on' ? names : names.filter(([name]) => audited[name]);
    test.each(oneOfEach(tried, ([name]) => verbOf(name)))('after %s', async (name, field) => {
      const world = await makeWorld(gateway);
      const input = inputs[name]?.(world.ids);
      const answer = await ask(gateway, world.owner, documentOf('Mutation', field, 0), { input });
      expect(answer.errors).toBeUndefined();
      const entries = await entriesOf(gateway, world);
      const counted = name === 'erasePerson' ? entries.filter(({ action }) => action === 'erased') : entries;
      expect(counted).toEqual(expectedOf(world, name));
    });

    const changes = operations.filter(({ root }) => root in audited && root in inputs);
    const called = changes.map((operation) => [operation.operationId, operation] as const);
    test.each(oneOfEach(called, ([id]) => verbOf(id)))('after REST %s', async (id, operation) => {
      const world = await makeWorld(gateway);
      const request = requests[id];
      if (!request) throw new Error(`${id} has no fixture: add one to test/support/rest/operations.ts`);
      const { status } = await call(gateway, world.owner, operation, request(world.ids));
      expect(status).toBeLessThan(300);
      expect(await entriesOf(gateway, world)).toEqual(expectedOf(world, operation.root));
    });

    const refused = names.filter(([name]) => audited[name]);
    test.each(oneOfEach(refused, ([name]) => verbOf(name)))('none after %s is refused', async (name, field) => {
      const { home, other } = await worlds();
      const document = documentOf('Mutation', field, 0);
      const ids = Object.entries(inputs[name]?.(other.ids) ?? {}).filter(([key]) => /^id$|Id$/.test(key));
      // Rows of another workspace are not found; what names no row needs a higher role.
      const asViewer = ids.length === 0 || name === 'createApp';
      const input = { ...inputs[name]?.(home.ids), ...(asViewer ? {} : Object.fromEntries(ids)) };
      const key = name === 'createKey' ? { name: '', scopes: [] } : {};
      const answer = await ask(gateway, asViewer ? home.viewer : home.owner, document, { input: { ...input, ...key } });
      expect(answer.errors).toHaveLength(1);
      expect([...(await entriesOf(gateway, home)), ...(await entriesOf(gateway, other))]).toEqual([]);
    });

    let made: Promise<{ home: World; other: World }> | undefined;
    const worlds = () =>
      (made ??= Promise.all([makeWorld(gateway), makeWorld(gateway)]).then(([home, other]) => ({ home, other })));
  },
);
