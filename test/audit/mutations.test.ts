import { describe, expect, test } from 'vitest';
import { expectFailure, type Gateway, useGateway } from '../support/gateway/app.ts';
import { ask } from '../support/gateway/ask.ts';
import { makeMember } from '../support/gateway/factories.ts';
import { documentOf, rootFields } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { call, operations, requests } from '../support/rest/operations.ts';
import { type Audited, audited, auditedOnBehalf } from '../support/world/audited.ts';
import { inputs } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

/** The entries of a world, other than those that it was made with. */
async function entriesOf(gateway: ReturnType<typeof useGateway>, { id, mark }: World) {
  const rows = await gateway.database.auditEntry.findMany({
    where: { workspaceId: id, type: { not: { startsWith: mark } } },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ actorKind, actorId, onBehalfOfId, action, type, rowId }) => ({
    actorKind,
    actorId,
    onBehalfOfId,
    action,
    type,
    rowId,
  }));
}

const byOwner = ({ owner }: World) => ({ actorKind: 'member', actorId: owner.userId, onBehalfOfId: null });

function expectedOf(world: World, name: string, actor: object = byOwner(world)) {
  const entry = audited[name];
  if (entry === undefined) throw new Error(`${name} is not in test/support/world/audited.ts`);
  return entry === null ? [] : [asEntry(world, entry, actor)];
}

function asEntry({ ids }: World, [action, type, id]: Audited, actor: object) {
  return { ...actor, action, type, rowId: id ? id(ids) : expect.any(String) };
}

/** Who gets tokens for the owner of a world, and how the log names them. */
const makers = {
  member: async (gateway: Gateway, { id }: World) => {
    const viewer = await makeMember(gateway, id, 'owner');
    return { viewer, actor: { actorKind: 'member', actorId: viewer.userId } };
  },
  app: async ({ database }: Gateway, { id, app }: World) => {
    const where = { workspaceId_id: { workspaceId: id, id: app.appId ?? '' } };
    await database.app.update({ where, data: { roles: ['owner'], ownersOnly: true } });
    return { viewer: app, actor: { actorKind: 'app', actorId: app.appId } };
  },
};

/** Mutations that a token from POST /apps/auth may not do for the person. */
const notOnBehalf = [
  'acceptInvitation',
  'acceptTerms',
  'authenticateApp',
  'createApp',
  'createKey',
  'createWebhook',
  'declineInvitation',
  'rotateAppSecret',
  'rotateIdentitySecret',
  'updateProfile',
];

test('every mutation has what the log holds of it', () => {
  const names = rootFields('Mutation').map(({ name }) => name);
  expect(Object.keys(audited).toSorted()).toEqual(names.toSorted());
});

describe.each(['on', 'off'])(
  'with compiled queries %s, one entry names the actor, the action and the row',
  (compiled) => {
    const gateway = useGateway({ COMPILED_QUERIES: compiled });
    const names = rootFields('Mutation').map((field) => [field.name, field] as const);

    const actionOf = (name: string) => String(audited[name]?.[0]);
    const kindOf = (name: string) => (compiled === 'on' ? verbOf(name) : actionOf(name));

    // Compiled queries leave what they cannot do to the resolvers: with them, all mutations are tried.
    const tried = compiled === 'on' ? names : names.filter(([name]) => audited[name]);
    test.each(oneOfEach(tried, ([name]) => kindOf(name)))('after %s', async (name, field) => {
      const world = await makeWorld(gateway);
      const input = inputs[name]?.(world.ids);
      const answer = await ask(gateway, world.owner, documentOf('Mutation', field, 0), { input });
      expect(answer.errors).toBeUndefined();
      const entries = await entriesOf(gateway, world);
      const counted = name === 'erasePerson' ? entries.filter(({ action }) => action === 'erased') : entries;
      expect(counted).toEqual(expectedOf(world, name));
    });

    const minted = Object.keys(makers).flatMap((maker) => tried.map(([name, field]) => [name, maker, field] as const));
    test.each(oneOfEach(minted, ([name, maker]) => `${maker} ${actionOf(name)} ${notOnBehalf.includes(name)}`))(
      'after %s with a token that the %s got for the owner',
      async (name, maker, field) => {
        const world = await makeWorld(gateway);
        const { id, owner, ids } = world;
        const { viewer, actor } = await makers[maker as keyof typeof makers](gateway, world);
        const asked = { userId: owner.userId, role: 'owner', tenantId: id };
        const { body } = await gateway.rest(viewer, 'POST', '/rest/apps/auth', asked);
        const issued = { action: 'token_issued', type: 'Membership', rowId: owner.membershipId };
        expect(await entriesOf(gateway, world)).toEqual([{ ...actor, onBehalfOfId: null, ...issued }]);
        await gateway.database.auditEntry.deleteMany({ where: { workspaceId: id } });

        const answer = await ask(gateway, body.token, documentOf('Mutation', field, 0), { input: inputs[name]?.(ids) });
        const entries = await entriesOf(gateway, world);
        if (notOnBehalf.includes(name)) {
          expectFailure(answer, 'forbidden');
          return expect(entries).toEqual([]);
        }
        expect(answer.errors).toBeUndefined();
        const counted = name === 'erasePerson' ? entries.filter(({ action }) => action === 'erased') : entries;
        const onBehalf = { ...actor, onBehalfOfId: owner.userId };
        const besides = (auditedOnBehalf[name] ?? []).map((entry) => asEntry(world, entry, onBehalf));
        const byType = (a: { type: string }, b: { type: string }) => a.type.localeCompare(b.type);
        expect(counted.toSorted(byType)).toEqual([...expectedOf(world, name, onBehalf), ...besides].toSorted(byType));
      },
    );

    const changes = operations.filter(({ root }) => root in audited && root in inputs);
    const called = changes.map((operation) => [operation.operationId, operation] as const);
    test.each(oneOfEach(called, ([, { root }]) => actionOf(root)))('after REST %s', async (id, operation) => {
      const world = await makeWorld(gateway);
      const request = requests[id];
      if (!request) throw new Error(`${id} has no fixture: add one to test/support/rest/operations.ts`);
      const { status } = await call(gateway, world.owner, operation, request(world.ids));
      expect(status).toBeLessThan(300);
      expect(await entriesOf(gateway, world)).toEqual(expectedOf(world, operation.root));
    });

    const refused = names.filter(([name]) => audited[name]);
    test.each(oneOfEach(refused, ([name]) => kindOf(name)))('none after %s is refused', async (name, field) => {
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
