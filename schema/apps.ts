import {
  appList,
  authenticateApp,
  createApp,
  deleteApp,
  rotateAppSecret,
  shownSecret,
  updateApp,
} from '../src/domain/apps.ts';
import { MemberRole, RolesOfApp } from './app-roles.ts';
import { builder } from './builder.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from './connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from './mutations.ts';
import { SubscriptionList } from './subscriptions.ts';

export const App = builder.prismaNode('App', {
  description: 'A program that uses the service on behalf of the workspace: its secret is a bearer.',
  id: { resolve: ({ id }) => id, description: 'The id, given by whoever made the app; unique in the workspace.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ workspaceId_id: { workspaceId: viewer.workspaceId, id } }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that the app belongs to.' }),
    name: t.exposeString('name', { description: 'What the app is called.' }),
    color: t.expose('color', { type: 'HexColorCode', description: 'The colour that stands for it.' }),
    redirectUris: t.exposeStringList('redirectUris', { description: 'Where it may send people after they sign in.' }),
    roles: t.field({
      type: ['JSON'],
      description: 'The roles that it knows, in its own form.',
      extensions: { parleyColumns: ['roles'] },
      resolve: ({ roles }) => roles as unknown[],
    }),
    internal: t.exposeBoolean('internal', { description: 'Whether it is a part of the service itself.' }),
    secret: t.string({
      description:
        'The secret with which it authenticates: in full for owners and admins, else the last four characters.',
      extensions: { parleyColumns: ['secretCipher'] },
      resolve: (app, _args, context) => shownSecret(context, app),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    workspace: t.relation('workspace', { description: 'The workspace that it belongs to.' }),
    roleRecords: relatedConnection(t, 'roleRecords', RolesOfApp, { description: 'What members may do in it.' }),
    subscriptions: relatedConnection(t, 'subscriptions', SubscriptionList, { description: 'The subscriptions to it.' }),
  }),
});

export const AppList = defineList(App, 'App', appList, {
  orders: { createdAt: 'When it was made.', name: 'What it is called.' },
  filter: {
    internal: { type: 'Boolean', description: 'Apps that are a part of the service itself, or that are not.' },
  },
});

builder.queryFields((t) => ({
  apps: rootConnection(t, AppList, 'The apps of the workspace, newest first.'),
  app: rootRow(t, AppList, 'One app.'),
}));

const appFields = (t: InputBuilder) => ({
  color: t.field({ type: 'HexColorCode', description: 'The colour that stands for it.' }),
  redirectUris: t.stringList({ description: 'Where it may send people after they sign in: absolute addresses.' }),
  roles: t.field({ type: ['JSON'], description: 'The roles that it knows, in its own form.' }),
  internal: t.boolean({ description: 'Whether it is a part of the service itself; false when left out.' }),
});
const answers: [string, unknown, string] = ['app', App, 'The app as it is now.'];
const appId = (t: InputBuilder) => t.id({ required: true, description: 'The id of the app.' });

rowMutation('createApp', {
  description: 'Registers an app and gives it a secret.',
  answers,
  input: (t) => ({
    id: t.id({ required: true, description: 'Its id: 1 to 64 letters, digits, dots, underscores and hyphens.' }),
    name: t.string({ required: true, description: 'What the app is called.' }),
    ...appFields(t),
  }),
  resolve: (context, input) => createApp(context, input as never),
});

rowMutation('updateApp', {
  description: 'Changes what is given of an app; what is left out stays.',
  answers,
  input: (t) => ({ id: appId(t), name: t.string({ description: 'What the app is called.' }), ...appFields(t) }),
  write: updateApp,
});

rowMutation('rotateAppSecret', {
  description: 'Gives an app a new secret; the old one stops working at once.',
  answers,
  input: (t) => ({ id: appId(t) }),
  resolve: (context, { id }) => rotateAppSecret(context, id),
});

deleteMutation('deleteApp', {
  description: 'Removes an app with its role records. An app that has subscriptions stays.',
  what: 'app',
  remove: deleteApp,
});

rowMutation('authenticateApp', {
  description: 'Gets an access token for a member, with at most their role. For apps, owners and admins.',
  answers: ['token', 'String', 'The access token, a bearer for one hour.'],
  input: (t) => ({
    userId: t.id({ required: true, description: 'The id of the person to get a token for: a member.' }),
    role: t.field({ type: MemberRole, required: true, description: 'What the token shall be good for.' }),
    tenantId: t.id({ required: true, description: 'The id of the workspace: that of the bearer.' }),
  }),
  resolve: (context, input) => authenticateApp(context, input),
});
