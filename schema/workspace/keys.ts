import { createKey, keyList, revokeKey, shownAddress, usualRate } from '../../src/domain/workspace/keys.ts';
import { builder } from '../builder.ts';
import { defineList, rootConnection, rootRow } from '../shared/connections.ts';
import { rowMutation } from '../shared/mutations.ts';

export const Key = builder.prismaNode('Key', {
  description:
    'A long-lived bearer for a program: with some permissions of the member who made it, and while they are one.',
  id: { field: 'id', description: 'The id of the key.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that it belongs to.' }),
    membershipId: t.exposeID('membershipId', { description: 'The membership of whoever made it.' }),
    name: t.exposeString('name', { description: 'What it is called.' }),
    hint: t.exposeString('hint', {
      description: 'The last four characters of its secret, which itself is kept nowhere.',
    }),
    scopes: t.exposeStringList('scopes', {
      description:
        'Its permissions, as `permissions` of `viewer` names them. Its maker must have them too at each use.',
    }),
    agentIds: t.exposeIDList('agentIds', { description: 'The agents whose rows it is for; empty: all.' }),
    baseIds: t.exposeIDList('baseIds', { description: 'The knowledge bases that it is for; empty: all.' }),
    ratePerMinute: t.exposeInt('ratePerMinute', {
      nullable: true,
      description: 'How many requests it may make in a minute; null: any number.',
    }),
    costPerMinute: t.exposeInt('costPerMinute', {
      nullable: true,
      description: 'What its operations may cost in a minute; null: any number.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when it can be used; null: until it is revoked.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null when it was not.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was used last, to the minute; null when it never was.',
    }),
    lastUsedFrom: t.string({
      nullable: true,
      description:
        'The address that it was used from then, of IPv6 the network: for its maker, owners and admins; null for others.',
      extensions: { parleyColumns: ['membershipId', 'lastUsedFrom'] },
      resolve: (key, _args, context) => shownAddress(context, key),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    membership: t.relation('membership', { description: 'The member who made it.' }),
    workspace: t.relation('workspace', { description: 'The workspace that it belongs to.' }),
  }),
});

const KeyList = defineList(Key, 'Key', keyList, {
  orders: { createdAt: 'When it was made.', name: 'What it is called.' },
  filter: {
    membershipId: { type: 'ID', description: 'Keys that this member made.' },
    revoked: { description: 'Keys that were revoked (true) or not (false).' },
    used: { description: 'Keys that were used (true) or never (false).' },
  },
});

builder.queryFields((t) => ({
  keys: rootConnection(t, KeyList, 'The keys of the workspace, newest first.'),
  key: rootRow(t, KeyList, 'One key.'),
}));

rowMutation('createKey', {
  description:
    "Makes a key, a long-lived bearer for a program. Takes the member's own token: the outside issuer's, or one that the operator made for them.",
  answers: ['key', Key, 'The key.'],
  more: {
    secret: { type: 'String', description: 'The bearer. It is told this once: keep it where secrets are kept.' },
  },
  input: (t) => ({
    name: t.string({ required: true, description: 'What it is called: where it is used.' }),
    scopes: t.stringList({
      description:
        'Permissions of yours that it shall have, such as `leads.read`; left out, all that only read. Keys make no keys, tokens or members.',
    }),
    agentIds: t.idList({
      description:
        'Agents: of all that belongs to an agent, it sees and changes what belongs to these alone. Left out: all.',
    }),
    baseIds: t.idList({
      description: 'Knowledge bases: of bases and their sources, it sees and changes these alone. Left out: all.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'Until when it can be used; left out: until it is revoked.' }),
    ratePerMinute: t.int({
      description: `How many requests it may make in a minute; ${usualRate} when left out, null: any number.`,
    }),
    costPerMinute: t.int({ description: 'What its operations may cost in a minute; left out or null: any number.' }),
  }),
  permission: 'keys.write',
  resolve: (context, input) => createKey(context, input as never),
});

rowMutation('revokeKey', {
  description: 'Ends a key, at once. Members revoke their own ones, owners and admins any.',
  answers: ['key', Key, 'The key as it is now.'],
  input: (t) => ({ id: t.id({ required: true, description: 'The id of the key.' }) }),
  permission: 'keys.write',
  resolve: (context, { id }) => revokeKey(context, id),
});
