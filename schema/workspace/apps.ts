import {
  appList,
  createApp,
  deleteApp,
  rotateAppSecret,
  shownSecret,
  updateApp,
} from '../../src/domain/workspace/apps.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
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
      description:
        'The roles that it knows, in its own form. Where an item is viewer, editor, admin or owner, or an object whose role, id, key or name is, the highest so named is what it gets tokens for.',
      extensions: { parleyColumns: ['roles'] },
      resolve: ({ roles }) => roles as unknown[],
    }),
    internal: t.exposeBoolean('internal', { description: 'Whether it is a part of the service itself.' }),
    secret: t.string({
      description:
        'The secret with which it authenticates: in full for owners and admins (that of an app that gets tokens for owners: for owners), else the last four characters. A token of POST /apps/auth sees in full that of an app which it just made, and no other.',
      extensions: { parleyColumns: ['id', 'secretCipher', 'ownersOnly', 'unrestricted'] },
      resolve: (app, _args, context) => shownSecret(context, app),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    workspace: t.relation('workspace', { description: 'The workspace that it belongs to.' }),
    subscriptions: relatedConnection(t, 'subscriptions', SubscriptionList, { description: 'The subscriptions to it.' }),
  }),
});

export const AppList = defineList(App, 'App', appList, {
  orders: { createdAt: 'When it was made.', name: 'What it is called.' },
  filter: {
    internal: { type: 'Boolean', description: 'Apps that are a part of the service itself, or that are not.' },
    ids: { type: 'ID', description: 'Apps with one of these ids.' },
    name: { description: 'What it is called.' },
    createdAt: { description: 'Apps made in this span of time.' },
    updatedAt: { description: 'Apps changed last in this span of time.' },
  },
});

builder.queryFields((t) => ({
  apps: rootConnection(t, AppList, 'The apps of the workspace, newest first.'),
  app: rootRow(t, AppList, 'One app.'),
}));

const appFields = (t: InputBuilder) => ({
  color: t.field({ type: 'HexColorCode', description: 'The colour that stands for it.' }),
  redirectUris: t.stringList({ description: 'Where it may send people after they sign in: absolute addresses.' }),
  roles: t.field({
    type: ['JSON'],
    description:
      'The roles that it knows, in its own form. Where an item is viewer, editor, admin or owner, or an object whose role, id, key or name is, the highest so named is what it gets tokens for; editor where none is. Only an owner may name owner: whoever knows the secret of the app can then be one.',
  }),
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
  permission: 'apps.write',
  resolve: (context, input) => createApp(context, input as never),
});

rowMutation('updateApp', {
  updates: { model: 'App' },
  description:
    'Changes what is given of an app; what is left out stays. An app that gets tokens for owners is changed by owners alone.',
  answers,
  input: (t) => ({ id: appId(t), name: t.string({ description: 'What the app is called.' }), ...appFields(t) }),
  permission: 'apps.write',
  resolve: (context, input) => updateApp(context, input as never),
});

rowMutation('rotateAppSecret', {
  updates: { model: 'App' },
  description:
    'Gives an app a new secret; the old one stops working at once, and so do the tokens that were got with it. Not with a token of POST /apps/auth.',
  answers,
  input: (t) => ({ id: appId(t) }),
  permission: 'apps.write',
  resolve: (context, { id }) => rotateAppSecret(context, id),
});

deleteMutation('deleteApp', {
  updates: { model: 'App' },
  description: 'Removes an app with its role records and the tokens that it got. An app that has subscriptions stays.',
  what: 'app',
  permission: 'apps.write',
  remove: deleteApp,
});
