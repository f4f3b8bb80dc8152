import type { Context } from '../../src/context.ts';
import { notFound } from '../../src/core/errors.ts';
import { access } from '../../src/core/permissions.ts';
import type { BearerRole, Viewer as Caller } from '../../src/core/viewer.ts';
import {
  acceptTerms,
  hasAcceptedTerms,
  permissionsOf,
  termsAccepted,
  updateProfile,
  updateWorkspace,
} from '../../src/domain/workspace/accounts.ts';
import { AgentList } from '../agents/agents.ts';
import { builder } from '../builder.ts';
import { CopyList, DocumentList } from '../content/content.ts';
import { FieldList } from '../fields/custom-fields.ts';
import { BaseList } from '../knowledge/knowledge-bases.ts';
import { LeadList } from '../leads/leads.ts';
import { PluginList } from '../plugins/plugins.ts';
import { relatedConnection } from '../shared/connections.ts';
import { rowMutation } from '../shared/mutations.ts';
import { App, AppList } from './apps.ts';
import { Membership, MembershipList, User } from './memberships.ts';
import { SubscriptionList } from './subscriptions.ts';

const Workspace = builder.prismaNode('Workspace', {
  description: 'A tenant. Every other object belongs to one workspace.',
  id: { field: 'id', description: 'Unique ID of the workspace.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ AND: [{ id: viewer.workspaceId }], id }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the workspace.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the workspace was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the workspace was last updated.' }),
    settings: t.relation('settings', {
      nullable: true,
      description: 'The settings of the workspace. `null` until they are first requested.',
    }),
    memberships: relatedConnection(t, 'memberships', MembershipList, { description: 'The members of the workspace.' }),
    apps: relatedConnection(t, 'apps', AppList, { description: 'The apps of the workspace.' }),
    subscriptions: relatedConnection(t, 'subscriptions', SubscriptionList, {
      description: 'The subscriptions of the workspace.',
    }),
    agents: relatedConnection(t, 'agents', AgentList, { description: 'The agents of the workspace.' }),
    leads: relatedConnection(t, 'leads', LeadList, { description: 'The leads of the workspace.' }),
    fields: relatedConnection(t, 'fields', FieldList, { description: 'The custom fields of leads in the workspace.' }),
    bases: relatedConnection(t, 'bases', BaseList, { description: 'The knowledge bases of the workspace.' }),
    plugins: relatedConnection(t, 'plugins', PluginList, { description: 'The plugins of the workspace.' }),
    copywriting: relatedConnection(t, 'copies', CopyList, { description: 'The copywriting records of the workspace.' }),
    documents: relatedConnection(t, 'documents', DocumentList, { description: 'The documents of the workspace.' }),
  }),
});

const ViewerRole = builder.enumType('ViewerRole', {
  description: 'The role of the bearer of a request.',
  values: {
    owner: { description: 'An owner, who can do everything.' },
    admin: { description: 'An admin, who can do everything except manage owners.' },
    editor: { description: 'An editor, who does the day-to-day work.' },
    viewer: { description: 'A viewer, with read-only access.' },
    app: { description: 'An app that authenticates with its secret, not on behalf of a person.' },
    invited: { description: 'A person who is not a member yet and can only answer invitations.' },
  } as const,
});

/** Whether the viewer has accepted the current terms, from their row. */
const termsValue = {
  model: 'User',
  columns: ['termsVersion'],
  where: ({ userId }: Caller) => ({ id: userId ?? '' }),
  value: (user: unknown, { context }: { context: Context }) =>
    JSON.stringify(hasAcceptedTerms(context, user as Parameters<typeof hasAcceptedTerms>[1])),
};

const workspaceOf = (_args: object, { workspaceId }: Caller) => ({ id: workspaceId });

export const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'The bearer of the request.',
  fields: (t) => ({
    role: t.field({
      type: ViewerRole,
      description: 'The role of the bearer.',
      extensions: { parleyColumns: [] },
      // A visitor of a widget never asks the graph.
      resolve: ({ role }) => role as BearerRole,
    }),
    permissions: t.stringList({
      description: 'The permissions of the bearer.',
      extensions: { parleyColumns: [] },
      resolve: permissionsOf,
    }),
    termsAccepted: t.boolean({
      description: 'Whether the person has accepted the current terms. Always false for an app.',
      extensions: { parleyValue: termsValue },
      resolve: (_viewer, _args, context) => termsAccepted(context),
    }),
    workspace: t.prismaField({
      type: Workspace,
      nullable: true,
      description: 'The workspace of the bearer. `null` for a person who is only invited.',
      extensions: { parleyRow: { optional: true, where: workspaceOf } },
      resolve: (query, { workspaceId: id }, _args, { database }) =>
        database.workspace.findUnique({ ...query, where: { id } }),
    }),
    user: t.prismaField({
      type: User,
      nullable: true,
      description: 'The person. `null` for an app.',
      extensions: {
        parleyRow: { optional: true, where: (_args: object, { userId }: Caller) => ({ id: userId ?? '' }) },
      },
      resolve: (query, { userId: id }, _args, { database }) =>
        id ? database.user.findUnique({ ...query, where: { id } }) : null,
    }),
    membership: t.prismaField({
      type: Membership,
      nullable: true,
      description: "The person's membership. `null` for an app.",
      extensions: {
        parleyRow: {
          optional: true,
          where: (_args: object, { workspaceId, membershipId }: Caller) => ({ workspaceId, id: membershipId ?? '' }),
        },
      },
      resolve: (query, { membershipId: id, workspaceId }, _args, { database }) =>
        id ? database.membership.findUnique({ ...query, where: { workspaceId_id: { workspaceId, id } } }) : null,
    }),
    app: t.prismaField({
      type: App,
      nullable: true,
      description: 'The app that made the request or that requested the token. `null` if there is none.',
      extensions: {
        parleyRow: {
          optional: true,
          where: (_args: object, { workspaceId, appId }: Caller) => ({ workspaceId, id: appId ?? '' }),
        },
      },
      resolve: (query, { appId: id, workspaceId }, _args, { database }) =>
        id ? database.app.findUnique({ ...query, where: { workspaceId_id: { workspaceId, id } } }) : null,
    }),
  }),
});

builder.queryFields((t) => ({
  viewer: t.field({
    type: Viewer,
    nullable: true,
    description: 'The bearer of the request and their permissions.',
    extensions: { ...access('everyone'), parleyViewer: true },
    resolve: (_root, _args, { viewer }) => viewer,
  }),
  workspace: t.prismaField({
    type: Workspace,
    nullable: true,
    description: 'The workspace of the bearer.',
    extensions: { ...access('everyone'), parleyRow: { where: workspaceOf } },
    async resolve(query, _root, args, { database, viewer }) {
      const workspace = await database.workspace.findUnique({ ...query, where: workspaceOf(args, viewer) });
      if (workspace) return workspace;
      throw notFound('Workspace');
    },
  }),
  termsAccepted: t.boolean({
    nullable: true,
    description: 'Whether the person making the request has accepted the current terms. Always false for an app.',
    extensions: { ...access('everyone'), parleyValue: termsValue },
    resolve: (_root, _args, context) => termsAccepted(context),
  }),
}));

rowMutation('updateWorkspace', {
  updates: { model: 'Workspace', key: ({ viewer }) => ({ id: viewer.workspaceId }) },
  description: 'Renames the workspace.',
  payload: { field: 'workspace', type: Workspace, description: 'The updated workspace.' },
  input: (t) => ({ name: t.string({ required: true, description: 'The new name of the workspace.' }) }),
  write: updateWorkspace,
});

const payload = { field: 'viewer', type: Viewer, description: 'The updated viewer.' };

rowMutation('acceptTerms', {
  description:
    "Records that the person making the request accepts the current terms. Requires the person's own token, issued by the external identity provider or by the operator.",
  payload,
  input: () => ({}),
  permission: 'persons',
  resolve: async (context) => {
    await acceptTerms(context);
    return context.viewer;
  },
});

rowMutation('updateProfile', {
  updates: { model: 'User', key: ({ viewer }) => ({ id: viewer.userId ?? '' }) },
  description:
    "Updates the profile of the person making the request in all their workspaces. Only the fields given are changed. Requires the person's own token, issued by the external identity provider or by the operator.",
  payload,
  input: (t) => ({
    name: t.string({ description: 'Your name.' }),
    phone: t.string({ description: 'Your phone number, in E.164 format. `null` removes it.' }),
    picture: t.string({ description: 'The HTTP or HTTPS URL of your picture. `null` removes it.' }),
  }),
  permission: 'persons',
  resolve: async (context, input) => {
    await updateProfile(context, input);
    return context.viewer;
  },
});
