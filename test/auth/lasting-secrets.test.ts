import { GraphQLObjectType, getNamedType } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { ofMembers, permissions } from '../../src/core/permissions.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { documentOf, rootFields } from '../support/graphql/shape.ts';
import { inputs } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
let key: string;
beforeAll(async () => {
  world = await makeWorld(gateway);
  const scopes = Object.keys(permissions).filter((name) => !(ofMembers as readonly string[]).includes(name));
  const document = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret } }';
  key = (await gateway.data(world.owner, document, { input: { name: 'All', scopes } })).createKey.secret;
});

/** What a minted token may nonetheless do. */
const admitted: Record<string, string> = {
  inviteMember: 'the invited person is admitted by accepting, as a member with a role of their own',
  renewInvitationLink: 'as inviteMember',
};

/** Mutations whose payload has a secret that lets its holder in. */
const making = rootFields('Mutation').filter(({ type }) => {
  const payload = getNamedType(type);
  return (
    payload instanceof GraphQLObjectType &&
    Object.keys(payload.getFields()).some((name) => /secret|link|token/i.test(name))
  );
});

test('secrets that let their holder in are made by five mutations', () => {
  const names = ['authenticateApp', 'createKey', 'inviteMember', 'renewInvitationLink', 'rotateIdentitySecret'];
  expect(making.map(({ name }) => name).toSorted()).toEqual(names);
});

test.each(making.map((field) => [field.name, field] as const))(
  '%s makes none that outlives a key or a minted token',
  async (name, field) => {
    const variables = () => ({ input: inputs[name]?.(world.ids) });
    const document = documentOf('Mutation', field, 1);
    const before = await gateway.database.channel.findMany({ where: { workspaceId: world.id } });
    expectFailure(await gateway.graphql(key, document, variables()), 'forbidden');
    const minted = await gateway.graphql({ ...world.owner, credential: 'minted' }, document, variables());
    if (name in admitted) expect(minted.errors).toBeUndefined();
    else expectFailure(minted, 'forbidden');
    expect(await gateway.database.channel.findMany({ where: { workspaceId: world.id } })).toEqual(before);
    expect((await gateway.graphql(world.owner, document, variables())).errors).toBeUndefined();
  },
);
