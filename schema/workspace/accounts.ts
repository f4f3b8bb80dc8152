import { notFound } from '../../src/core/errors.ts';
import { access } from '../../src/core/permissions.ts';
import type { BearerRole, Viewer as Caller } from '../../src/core/viewer.ts';
import {
  acceptTerms,
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
  description: 'A tenant: everything else belongs to one.',
  id: { field: 'id', description: 'The id of the workspace.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ AND: [{ id: viewer.workspaceId }], id }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    settings: t.relation('settings', {
      nullable: true,
      description: 'Its settings; null until they are first asked for.',
    }),
    memberships: relatedConnection(t, 'memberships', MembershipList, { description: 'Its members.' }),
    apps: relatedConnection(t, 'apps', AppList, { description: 'Its apps.' }),
    subscriptions: relatedConnection(t, 'subscriptions', SubscriptionList, { description: 'Its subscriptions.' }),
    agents: relatedConnection(t, 'agents', AgentList, { description: 'Its agents.' }),
    leads: relatedConnection(t, 'leads', LeadList, { description: 'Its leads.' }),
    fields: relatedConnection(t, 'fields', FieldList, { description: 'The custom fields of its leads.' }),
    bases: relatedConnection(t, 'bases', BaseList, { description: 'Its knowledge bases.' }),
    plugins: relatedConnection(t, 'plugins', PluginList, { description: 'Its plugins.' }),
    copywriting: relatedConnection(t, 'copies', CopyList, { description: 'Its copywriting records.' }),
    documents: relatedConnection(t, 'documents', DocumentList, { description: 'Its documents.' }),
  }),
});

const ViewerRole = builder.enumType('ViewerRole', {
  description: 'In which role a bearer acts.',
  values: {
    owner: { description: 'As an owner: may do everything.' },
    admin: { description: 'As an admin: everything but what concerns owners.' },
    editor: { description: 'As an editor: the daily work.' },
    viewer: { description: 'As a viewer: looking on.' },
    app: { description: 'As an app, with its secret and no person behind it.' },
    invited: { description: 'As somebody who is no member yet and may only answer invitations.' },
  } as const,
});

export const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'Who asks: the bearer of the request.',
  fields: (t) => ({
    role: t.field({
      type: ViewerRole,
      description: 'The role in which the bearer acts.',
      // A visitor of a widget never asks the graph.
      resolve: ({ role }) => role as BearerRole,
    }),
    permissions: t.stringList({ description: 'What the role may do.', resolve: permissionsOf }),
    termsAccepted: t.boolean({
      description: 'Whether the person has accepted the current terms; false for an app.',
      resolve: (_viewer, _args, context) => termsAccepted(context),
    }),
    workspace: t.prismaField({
      type: Workspace,
      nullable: true,
      description: 'The workspace in which the bearer acts; null for somebody who is only invited.',
      resolve: (query, { workspaceId: id }, _args, { database }) =>
        database.workspace.findUnique({ ...query, where: { id } }),
    }),
    user: t.prismaField({
      type: User,
      nullable: true,
      description: 'The person; null for an app.',
      resolve: (query, { userId: id }, _args, { database }) =>
        id ? database.user.findUnique({ ...query, where: { id } }) : null,
    }),
    membership: t.prismaField({
      type: Membership,
      nullable: true,
      description: 'The membership of the person; null for an app.',
      resolve: (query, { membershipId: id, workspaceId }, _args, { database }) =>
        id ? database.membership.findUnique({ ...query, where: { id, workspaceId } }) : null,
    }),
    app: t.prismaField({
      type: App,
      nullable: true,
      description: 'The app that asks, or that asked for the token; null when there is none.',
      resolve: (query, { appId: id, workspaceId }, _args, { database }) =>
        id ? database.app.findUnique({ ...query, where: { workspaceId_id: { workspaceId, id } } }) : null,
    }),
  }),
});

const workspaceOf = (_args: object, { workspaceId }: Caller) => ({ id: workspaceId });

builder.queryFields((t) => ({
  viewer: t.field({
    type: Viewer,
    nullable: true,
    description: 'Who asks, and what they may do.',
    extensions: access('everyone'),
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
    description: 'Whether the person who asks has accepted the current terms; false for an app.',
    extensions: access('everyone'),
    resolve: (_root, _args, context) => termsAccepted(context),
  }),
}));

rowMutation('updateWorkspace', {
  updates: { model: 'Workspace', key: ({ viewer }) => ({ id: viewer.workspaceId }) },
  description: 'Renames the workspace.',
  answers: ['workspace', Workspace, 'The workspace as it is now.'],
  input: (t) => ({ name: t.string({ required: true, description: 'What it shall be called.' }) }),
  permission: 'workspace.write',
  resolve: (context, { name }) => updateWorkspace(context, { name }),
});

const answers: [string, unknown, string] = ['viewer', Viewer, 'Who asks, as they are now.'];

rowMutation('acceptTerms', {
  description:
    "Records that the person who asks accepts the current terms. Takes the person's own token: the outside issuer's, or one that the operator made for them.",
  answers,
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
    "Changes what is given of the person who asks, in every workspace of theirs. Takes the person's own token: the outside issuer's, or one that the operator made for them.",
  answers,
  input: (t) => ({
    name: t.string({ description: 'What you are called.' }),
    phone: t.string({ description: 'Your phone number, in E.164; null: none.' }),
    picture: t.string({ description: 'The http or https address of a picture of you; null: none.' }),
  }),
  permission: 'persons',
  resolve: async (context, input) => {
    await updateProfile(context, input as never);
    return context.viewer;
  },
});
