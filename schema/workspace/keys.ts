import { createKey, defaultRate, keyList, revokeKey, visibleAddress } from '../../src/domain/workspace/keys.ts';
import { builder } from '../builder.ts';
import { defineList, rootConnection, rootRow } from '../shared/connections.ts';
import { rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';

export const Key = builder.prismaNode('Key', {
  description:
    "A long-lived bearer token for a program. It has some of its creator's permissions and works only while they are a member.",
  id: { resolve: ({ id }) => id, description: 'ID of the key.' },
  nullable: true,
  findUnique: rowById('Key'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace the key belongs to.' }),
    membershipId: t.exposeID('membershipId', { description: "ID of the creator's membership." }),
    name: t.exposeString('name', { description: 'The name of the key.' }),
    hint: t.exposeString('hint', {
      description: 'The last four characters of the secret. The secret itself is not stored.',
    }),
    scopes: t.exposeStringList('scopes', {
      description:
        'Permissions of the key, named as in `permissions` of `viewer`. Its creator must also hold them whenever the key is used.',
    }),
    agentIds: t.exposeIDList('agentIds', {
      description: 'IDs of the agents whose data the key can access. Empty means all.',
    }),
    baseIds: t.exposeIDList('baseIds', {
      description: 'IDs of the knowledge bases the key can access. Empty means all.',
    }),
    operations: t.exposeStringList('operations', {
      description:
        'The names of the saved operations that the key can run, and nothing else. Empty means no such limit.',
    }),
    dashboardId: t.exposeID('dashboardId', {
      nullable: true,
      description: 'ID of the dashboard that the key shows, and nothing else. `null` means no such limit.',
    }),
    ratePerMinute: t.exposeInt('ratePerMinute', {
      nullable: true,
      description: 'Maximum number of requests per minute. `null` if unlimited.',
    }),
    costPerMinute: t.exposeInt('costPerMinute', {
      nullable: true,
      description: 'Maximum total cost of operations per minute. `null` if unlimited.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key expires. `null` if it is valid until revoked.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was revoked. `null` if it was not.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last used, to the minute. `null` if never.',
    }),
    lastUsedFrom: t.string({
      nullable: true,
      description:
        'IP address the key was last used from (for IPv6, the network). Visible to its creator, owners and admins; `null` for others.',
      extensions: { parleyColumns: ['membershipId', 'lastUsedFrom'] },
      resolve: (key, _args, context) => visibleAddress(context, key),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the key was created.' }),
    membership: t.relation('membership', { description: 'The member who created the key.' }),
    workspace: t.relation('workspace', { description: 'The workspace the key belongs to.' }),
  }),
});

const KeyList = defineList(Key, 'Key', keyList, {
  orders: { createdAt: 'When the key was created.', name: 'The name of the key.' },
  filter: {
    membershipId: { type: 'ID', description: 'Keys created by this member.' },
    revoked: { description: 'Keys that were revoked (true) or not (false).' },
    used: { description: 'Keys that have been used (true) or never used (false).' },
    dashboardId: { type: 'ID', description: 'Keys that show this dashboard alone.' },
  },
});

builder.queryFields((t) => ({
  keys: rootConnection(t, KeyList, 'The keys of the workspace, newest first.'),
  key: rootRow(t, KeyList, 'Returns a key by ID.'),
}));

rowMutation('createKey', {
  description:
    "Creates a key, a long-lived bearer token for a program. Requires the member's own token, issued by the external identity provider or by the operator.",
  payload: { field: 'key', type: Key, description: 'The key.' },
  more: {
    secret: { type: 'String', description: 'The bearer token. It is shown only once, so store it safely.' },
  },
  input: (t) => ({
    name: t.string({ required: true, description: 'The name of the key, such as where it is used.' }),
    scopes: t.stringList({
      description:
        'Permissions of yours to grant to the key, such as `leads.read`. Defaults to all read permissions except `credentials.read`. Keys cannot create keys, tokens or members.',
    }),
    agentIds: t.idList({
      description:
        'IDs of agents. Of data that belongs to agents, the key can read and change only that of these. Defaults to all.',
    }),
    baseIds: t.idList({
      description:
        'IDs of knowledge bases. The key can read and change only these bases and their sources. Defaults to all.',
    }),
    operations: t.stringList({
      description:
        'Names of saved operations. The key can run only these, by name, with its scopes. By default, it can send any operation.',
    }),
    dashboardId: t.id({
      description:
        'ID of a dashboard. The key can show only this one, by `/run/boards`, with its scopes: for a link to the page of the dashboard.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the key expires. If omitted, it is valid until revoked.',
    }),
    ratePerMinute: t.int({
      description: `Maximum number of requests per minute. Defaults to ${defaultRate}; \`null\` for no limit.`,
    }),
    costPerMinute: t.int({
      description: 'Maximum total cost of operations per minute. Unlimited if omitted or `null`.',
    }),
  }),
  permission: 'keys.write',
  resolve: (context, input) => createKey(context, input),
});

rowMutation('revokeKey', {
  description: 'Revokes a key immediately. Members can revoke their own keys; owners and admins, any key.',
  payload: { field: 'key', type: Key, description: 'The revoked key.' },
  input: (t) => ({ id: t.id({ required: true, description: 'ID of the key.' }) }),
  write: revokeKey,
});
