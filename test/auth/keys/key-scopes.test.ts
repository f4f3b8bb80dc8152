import { type GraphQLField, getNamedType, isEnumType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { keyScopes, type Permission, permissions } from '../../../src/core/permissions.ts';
import { accessOf } from '../../support/auth/access.ts';
import { makeKey } from '../../support/auth/keys.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { ask } from '../../support/gateway/ask.ts';
import {
  connections,
  documentOf,
  nodeTypes,
  rootFields,
  roots,
  schema,
  typeNameOf,
} from '../../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../../support/random/cases.ts';
import { call, operations, requests } from '../../support/rest/operations.ts';
import { idOfType, variablesOf } from '../../support/world/inputs.ts';
import { makeWorld, type World } from '../../support/world/world.ts';

const gateway = useGateway();
let shared: World;
beforeAll(async () => {
  shared = await makeWorld(gateway);
});

/** All scopes except one and `analytics.read`, which would also allow counting lists. */
const allBut = (world: World, permission: string) =>
  makeKey(gateway, world.owner, {
    scopes: keyScopes.filter((scope) => scope !== permission && scope !== 'analytics.read'),
  });
const only = (world: World, ...scopes: string[]) => makeKey(gateway, world.owner, { scopes });
const isGranted = (access: string): access is Permission => (keyScopes as readonly string[]).includes(access);
const isPermission = (access: string): access is Permission => access in permissions;
type Errors = { errors?: { extensions: { code: string } }[] };
const codesOf = ({ errors }: Errors) => errors?.map(({ extensions }) => extensions.code) ?? [];

/** Whether a field is a text of the row itself. */
const isText = ({ type, args, name }: GraphQLField<unknown, unknown>) =>
  name !== 'id' && args.length === 0 && (isEnumType(getNamedType(type)) || getNamedType(type).name === 'String');

/** The permission to read rows of a type. */
const readBy = (type: string): string | undefined => schema.getType(type)?.extensions.parleyRead as string | undefined;

/** Fields that require another permission in addition to that of their row. */
const neededBy = new Map([
  // Of a delivery, by its event: the world's is of a lead.
  ['body', 'leads.read'],
  ...nodeTypes().flatMap((type) =>
    Object.values(type.getFields()).flatMap(({ name, extensions }) =>
      typeof extensions.parleyNeeds === 'string' ? [[name, extensions.parleyNeeds] as const] : [],
    ),
  ),
]);

describe('a scope opens, and without it a key is refused,', () => {
  const fields = roots
    .flatMap((root) => rootFields(root).map((field) => [field.name, root, field] as const))
    .filter(([name]) => name !== 'node' && name !== 'nodes');

  const tried = oneOfEach(fields, ([name, root]) => (root === 'Query' ? name : verbOf(name)));
  test.each(tried)('%s', async (name, root, field) => {
    const access = accessOf[name] as string;
    const world = root === 'Query' ? shared : await makeWorld(gateway);
    const codes = async (key: string) =>
      codesOf(await ask(gateway, key, documentOf(root, field, 0), variablesOf(field, world.ids)));
    // Not even a key that was given the permission may do what only members may.
    const none = isPermission(access) && !isGranted(access) ? await only(world, ...keyScopes, access) : null;
    if (access !== 'everyone') expect(await codes(none ?? (await allBut(world, access)))).toContain('forbidden');
    if (access !== 'everyone' && !isGranted(access)) return;
    // A query also needs the permission to read the row that it returns.
    const shown = root === 'Mutation' ? undefined : readBy(typeNameOf(field));
    const fields = documentOf(root, field, 0).match(/\w+/g) ?? [];
    const scopes = [access, shown ?? access, ...fields.flatMap((name) => neededBy.get(name) ?? [])].filter(
      isPermission,
    );
    expect(await codes(await only(world, ...scopes))).not.toContain('forbidden');
  });

  const nested = nodeTypes().flatMap((type) =>
    Object.values(type.getFields()).flatMap((field) => {
      const shown = getNamedType(field.type);
      const list = connections().find((connection) => connection.field === field);
      const needed = readBy(list ? list.row.name : shown.name);
      return needed &&
        !field.args.some(({ defaultValue, type }) => String(type).endsWith('!') && defaultValue === undefined)
        ? [[`${type.name}.${field.name}`, type.name, field.name, needed] as const]
        : [];
    }),
  );

  test.each(oneOfEach(nested, ([, , , needed]) => needed))('%s', async (_name, type, field, needed) => {
    const id = idOfType(shared.ids, type);
    const own = readBy(type);
    const document = `query ($id: ID!) { node(id: $id) { ... on ${type} { ${field} { __typename } } } }`;
    const granted = [own, needed].flatMap((scope) => scope ?? []);
    const all = await gateway.graphql(await only(shared, ...granted), document, { id });
    expect(codesOf(all)).toEqual([]);
    expect(codesOf(await gateway.graphql(await allBut(shared, needed), document, { id }))).toContain('forbidden');
  });

  test.each(nodeTypes().map(({ name }) => name))('node and nodes, for a %s', async (type) => {
    const id = idOfType(shared.ids, type);
    const permission = readBy(type);
    if (!permission) return expect(type).toBe('Workspace');
    const document = 'query ($id: ID!) { node(id: $id) { id } nodes(ids: [$id]) { id } }';
    const answer = await gateway.graphql(await allBut(shared, permission), document, { id });
    expect(answer).toMatchObject({ data: { node: null, nodes: null } });
    expect(codesOf(answer)).toEqual(['forbidden', 'forbidden']);
  });

  const lists = connections().filter(({ owner }) => owner === 'Query');
  test.each(lists.map((list) => [list.name, list] as const))(
    'counts, filters and groups of %s',
    async (_name, list) => {
      const type = getNamedType(list.field.type);
      const groups = isObjectType(type) && 'groups' in type.getFields();
      const asked = [
        'totalCount',
        'countUpTo { count }',
        'pageInfo { hasNextPage }',
        ...(groups ? ['groups { nodes { count } }'] : []),
      ];
      const read = readBy(list.row.name) ?? '';
      const strict = await allBut(shared, read);
      const counting = keyScopes.filter((scope) => scope !== read);
      const key = await makeKey(gateway, shared.owner, { scopes: counting });
      for (const each of asked) {
        const document = `{ ${list.field.name} { ${each} } }`;
        expect([each, codesOf(await gateway.graphql(strict, document))]).toEqual([each, ['forbidden']]);
      }
      expect(codesOf(await gateway.graphql(key, `{ ${list.field.name} { nodes { id } } }`))).toContain('forbidden');
    },
  );

  const related = connections().flatMap((list) => {
    const type = schema.getType(`${list.row.name}GroupBy`);
    if (list.owner !== 'Query' || !isObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap(({ name, type: of }) => {
      const row = getNamedType(of);
      const read = readBy(row.name);
      const texts = isObjectType(row) ? Object.values(row.getFields()).filter(isText) : [];
      return read
        ? texts.map((text) => [`${list.field.name} by ${name}.${text.name}`, list, name, text.name, read] as const)
        : [];
    });
  });
  test.each(oneOfEach(related, ([, , by]) => by))('groups of %s', async (_name, list, by, shown, read) => {
    const groups = (field: string) => `{ ${list.field.name} { groups { nodes { by { ${by} { ${field} } } } } } }`;
    const own = readBy(list.row.name) ?? '';
    expect(codesOf(await gateway.graphql(await allBut(shared, read), groups(shown)))).toEqual(['forbidden']);
    expect(codesOf(await gateway.graphql(await only(shared, own, read), groups(shown)))).toEqual([]);
    if (own !== read) expect(codesOf(await gateway.graphql(await only(shared, own), groups('id')))).toEqual([]);
  });

  test.each(
    oneOfEach(
      operations.map((operation) => [operation.operationId, operation] as const),
      ([id]) => verbOf(id),
    ),
  )('REST %s', async (id, operation) => {
    const access = accessOf[operation.root] as string;
    const world = operation.method === 'GET' ? shared : await makeWorld(gateway);
    const request = requests[id]?.(world.ids) ?? {};
    const status = async (key: string) => (await call(gateway, key, operation, request as never)).status;
    if (access !== 'everyone') expect(await status(await allBut(world, access))).toBe(403);
    const all = await status(await only(world, ...keyScopes));
    if (access === 'everyone' || isGranted(access)) expect(all).toBe(200);
  });
});
