import { getNamedType, isListType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { keyScopes } from '../../../src/core/permissions.ts';
import { accessOf } from '../../support/auth/access.ts';
import { makeKey } from '../../support/auth/keys.ts';
import { contentsOf } from '../../support/database/rows-of.ts';
import { expectFailure, type Gateway, useGateway } from '../../support/gateway/app.ts';
import { documentOf, type Field, rootFields, typeNameOf } from '../../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../../support/random/cases.ts';
import { call, operations, requests } from '../../support/rest/operations.ts';
import { inputs } from '../../support/world/inputs.ts';
import { makeWorld, type World } from '../../support/world/world.ts';

/** The scope of each type, by the queries that return it or a list of it. */
const scopeOf = new Map(
  rootFields('Query').flatMap((field) => {
    const type = getNamedType(field.type);
    const nodes = isObjectType(type) ? type.getFields().nodes : undefined;
    const access = accessOf[field.name] as string;
    return access.endsWith('.read') ? [[nodes ? typeNameOf(nodes) : type.name, access] as const] : [];
  }),
).set('Message', 'conversations.read');

/** The rows that a mutation returns: the payload's fields whose types have a scope. */
function rowsOf(mutation: Field) {
  const payload = getNamedType(mutation.type);
  const fields = isObjectType(payload) ? Object.values(payload.getFields()) : [];
  return fields.flatMap((field) => {
    const scope = scopeOf.get(typeNameOf(field));
    const type = getNamedType(field.type);
    return scope && isObjectType(type) ? [{ name: field.name, scope, type, isList: isListType(field.type) }] : [];
  });
}

const mutations = rootFields('Mutation').flatMap((field) => {
  const scope = accessOf[field.name] as string;
  const rows = rowsOf(field).filter((row) => row.scope !== scope);
  return (keyScopes as readonly string[]).includes(scope) && rows.length > 0
    ? [[field.name, field, rows] as const]
    : [];
});

/** The contents of a world, other than keys and when they were used. */
async function rowsOfWorld(gateway: Gateway, { id }: World) {
  const { Key: _key, ...contents } = await contentsOf(gateway, id);
  return contents;
}

describe.each(['on', 'off'])('with compiled queries %s, a key that may write but not read', (compiled) => {
  const gateway = useGateway({ COMPILED_QUERIES: compiled });
  const key = (world: World, ...scopes: (string | undefined)[]) =>
    makeKey(gateway, world.owner, { scopes: scopes.flatMap((scope) => scope ?? []) });

  const kindOf = (name: string, rows: { scope: string }[]) =>
    compiled === 'on' ? verbOf(name) : rows.map(({ scope }) => scope).join();
  test.each(oneOfEach(mutations, ([name, , rows]) => kindOf(name, rows)))(
    'is told no more than ids by %s, which writes nothing for it',
    async (name, field, rows) => {
      const world = await makeWorld(gateway);
      const access = accessOf[name];
      const input = inputs[name]?.(world.ids);
      const before = await rowsOfWorld(gateway, world);
      const ask = async (secret: string, document: string) => gateway.graphql(secret, document, { input });
      const document = documentOf('Mutation', field);
      const hidden = rows.filter((row) => !('parleyReply' in (fieldOf(field, row.name)?.extensions ?? {})));
      for (const { scope } of hidden) {
        const others = rows.flatMap((row) => (row.scope === scope ? [] : row.scope));
        const refused = await ask(await key(world, access, ...others), document);
        expectFailure(refused, 'forbidden', new RegExp(scope.replace('.', '\\.')));
        expect(refused.data).toEqual({ [name]: null });
        expect(await rowsOfWorld(gateway, world)).toEqual(before);
      }
      const replies = rows.filter((row) => !hidden.includes(row)).map(({ name }) => name);
      expect(replies).toEqual(['sendMessage', 'answerForm'].includes(name) ? ['messages'] : []);
      const withIds = rows.map((row) => `${row.name} { ${'id' in row.type.getFields() ? 'id' : '__typename'} }`);
      const head = document.slice(0, document.indexOf('{', document.indexOf(name)));
      const answer = await ask(await key(world, access), `${head} { ${withIds.join(' ')} } }`);
      expect(answer.errors).toBeUndefined();
    },
  );

  test('is refused by a fragment, an alias and a relation, and not by what is skipped', async () => {
    const world = await makeWorld(gateway);
    const secret = await key(world, 'leads.write', 'conversations.write');
    const { leadId: id, agentId, messageId } = world.ids;
    const update = (selection: string, scope: string) =>
      `mutation ($yes: Boolean = true) { __typename @include(if: $yes) updateLead(input: { id: "${id}", agentId: "${agentId}", name: "Seen" }) { ${selection} } } ${scope}`;
    for (const [selection, fragment = ''] of [
      ['lead { id email }'],
      ['lead { id ...Seen }', 'fragment Seen on Lead { email }'],
      ['...Seen', 'fragment Seen on UpdateLeadPayload { lead { email } }'],
      ['lead { id } seen: lead { email }'],
      ['lead { id } ... @include(if: $yes) { lead { email } }'],
      ['lead { agent { id } }'],
    ] as const) {
      expectFailure(
        await gateway.graphql(secret, update(selection, fragment)),
        'forbidden',
        /leads\.read|agents\.read/,
      );
    }
    const free = update('lead { id email @skip(if: $yes) }', '');
    expect(await gateway.graphql(secret, free)).toEqual({
      data: { __typename: 'Mutation', updateLead: { lead: { id } } },
    });
    const feedback = `mutation { setFeedback(input: { id: "${messageId}" }) { message { content } } }`;
    expectFailure(await gateway.graphql(secret, feedback), 'forbidden', /conversations\.read/);
  });

  const written = operations.filter(({ root }) => mutations.some(([name]) => name === root));
  test.each(
    oneOfEach(
      written.map((operation) => [operation.operationId, operation] as const),
      ([id, { method }]) => (compiled === 'on' ? verbOf(id) : method),
    ),
  )('is refused by REST %s before it writes, if the answer shows more', async (id, operation) => {
    const world = await makeWorld(gateway);
    const secret = await key(world, accessOf[operation.root]);
    const before = await rowsOfWorld(gateway, world);
    const { status } = await call(gateway, secret, operation, (requests[id]?.(world.ids) ?? {}) as never);
    if (status === 403) expect(await rowsOfWorld(gateway, world)).toEqual(before);
    else expect([operation.method, status]).toEqual([operation.method, 204]);
  });
});

function fieldOf(mutation: Field, name: string): Field | undefined {
  const payload = getNamedType(mutation.type);
  return isObjectType(payload) ? payload.getFields()[name] : undefined;
}
