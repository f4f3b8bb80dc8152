import { authenticateApp } from '../../src/domain/workspace/app-tokens.ts';
import {
  appList,
  createApp,
  deleteApp,
  rotateAppSecret,
  updateApp,
  visibleSecret,
} from '../../src/domain/workspace/apps.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';
import { MemberRole } from './member-role.ts';
import { SubscriptionList } from './subscriptions.ts';

export const App = builder.prismaNode('App', {
  description: 'A program that uses the service on behalf of the workspace, with its secret as bearer token.',
  id: { resolve: ({ id }) => id, description: 'ID of the app, chosen by its creator. Unique in the workspace.' },
  nullable: true,
  findUnique: rowById('App'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace the app belongs to.' }),
    name: t.exposeString('name', { description: 'The name of the app.' }),
    color: t.expose('color', { type: 'HexColorCode', description: 'The color that represents the app.' }),
    redirectUris: t.exposeStringList('redirectUris', {
      description: 'URLs the app can redirect people to after they sign in.',
    }),
    roles: t.field({
      type: ['JSON'],
      description:
        'Roles that the app defines, in its own format. If an item is `viewer`, `editor`, `admin` or `owner`, or an object whose `role`, `id`, `key` or `name` is, the app can get tokens for the highest role so named.',
      extensions: { parleyColumns: ['roles'] },
      resolve: ({ roles }) => roles as unknown[],
    }),
    internal: t.exposeBoolean('internal', { description: 'Whether the app is part of the service itself.' }),
    secret: t.string({
      description:
        'The secret the app authenticates with: in full for owners and admins (for owners only, if the app gets tokens for owners), otherwise the first and last four characters. A token from `POST /apps/auth` sees the full secret only in the response that creates the app.',
      extensions: { parleyColumns: ['id', 'secretCipher', 'ownersOnly', 'unrestricted'] },
      resolve: (app, _args, context) => visibleSecret(context, app),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the app was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the app was last updated.' }),
    workspace: t.relation('workspace', { description: 'The workspace the app belongs to.' }),
    subscriptions: relatedConnection(t, 'subscriptions', SubscriptionList, {
      description: 'The subscriptions to the app.',
    }),
  }),
});

export const AppList = defineList(App, 'App', appList, {
  orders: { createdAt: 'When the app was created.', name: 'The name of the app.' },
  filter: {
    internal: { type: 'Boolean', description: 'Apps that are part of the service itself (true) or not (false).' },
    ids: { type: 'ID', description: 'Apps with one of these IDs.' },
    name: { description: 'The name of the app.' },
    createdAt: { description: 'Apps created in this time range.' },
    updatedAt: { description: 'Apps last updated in this time range.' },
  },
});

builder.queryFields((t) => ({
  apps: rootConnection(t, AppList, 'The apps of the workspace, newest first.'),
  app: rootRow(t, AppList, 'Returns an app by ID.'),
}));

const appFields = (t: InputBuilder) => ({
  color: t.field({ type: 'HexColorCode', description: 'The color that represents the app.' }),
  redirectUris: t.stringList({
    description: 'URLs the app can redirect people to after they sign in. Must be absolute.',
  }),
  roles: t.field({
    type: ['JSON'],
    description:
      "Roles that the app defines, in its own format. If an item is `viewer`, `editor`, `admin` or `owner`, or an object whose `role`, `id`, `key` or `name` is, the app can get tokens for the highest role so named, or for `editor` if there is none. Only an owner can name `owner`, since anyone who knows the app's secret can then act as one.",
  }),
  internal: t.boolean({ description: 'Whether the app is part of the service itself. Defaults to false.' }),
});
const payload = { field: 'app', type: App, description: 'The created or updated app.' };
const appId = (t: InputBuilder) => t.id({ required: true, description: 'ID of the app.' });

rowMutation('createApp', {
  description: 'Registers an app and generates its secret.',
  payload,
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the app: 1 to 64 letters, digits, dots, underscores and hyphens.' }),
    name: t.string({ required: true, description: 'The name of the app.' }),
    ...appFields(t),
  }),
  updates: null,
  write: createApp,
});

rowMutation('updateApp', {
  description:
    'Updates an app. Omitted fields keep their values. Only owners can update an app that gets tokens for owners.',
  payload,
  input: (t) => ({ id: appId(t), name: t.string({ description: 'The name of the app.' }), ...appFields(t) }),
  write: updateApp,
});

rowMutation('rotateAppSecret', {
  description:
    'Replaces the secret of an app. The old secret and all tokens issued with it stop working immediately. Not available to a token from `POST /apps/auth`.',
  payload,
  input: (t) => ({ id: appId(t) }),
  write: rotateAppSecret,
});

deleteMutation('deleteApp', {
  description:
    'Deletes an app with its role records and the tokens it got. An app that has subscriptions cannot be deleted.',
  what: 'app',
  write: deleteApp,
});

rowMutation('authenticateApp', {
  waits: true,
  description:
    "Issues an access token for a member, with at most the member's role. An owner or admin can grant at most their own role. An app can grant the role recorded for the member in the app (`setRole`), or else the highest role named in its `roles`, or else `editor`. The token is invalid as soon as its issuer may no longer request it, and it cannot be used to issue other tokens.",
  complete: true,
  payload: { field: 'token', type: 'String', description: 'The access token, a bearer token valid for one hour.' },
  input: (t) => ({
    userId: t.id({ required: true, description: 'ID of the person to issue a token for, who must be a member.' }),
    role: t.field({ type: MemberRole, required: true, description: 'The role that the token grants.' }),
    tenantId: t.id({ required: true, description: "ID of the workspace, which must be the bearer's." }),
  }),
  permission: 'apps.auth',
  resolve: (context, input) => authenticateApp(context, input),
});
