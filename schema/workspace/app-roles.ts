import { access } from '../../src/core/permissions.ts';
import {
  deleteRole,
  findRole,
  roleOf,
  rolesOfApp,
  rolesOfMember,
  setRole,
} from '../../src/domain/workspace/app-roles.ts';
import { builder } from '../builder.ts';
import { defineList, type List, relatedConnection } from '../shared/connections.ts';
import { rowMutation } from '../shared/mutations.ts';
import { actorFields } from './actors.ts';
import { MemberRole } from './member-role.ts';

const RoleRecord = builder.prismaObject('AppRole', {
  name: 'RoleRecord',
  description: 'What a member may do in an app. The pair of both ids names it; it has none of its own.',
  fields: (t) => ({
    membershipId: t.exposeID('membershipId', { description: 'The id of the membership.' }),
    appId: t.exposeID('appId', { description: 'The id of the app.' }),
    role: t.expose('role', { type: MemberRole, nullable: true, description: 'The role; null: none in this app.' }),
    createdBy: t.exposeID('createdBy', { nullable: true, description: 'The user or app that made it.' }),
    updatedBy: t.exposeID('updatedBy', { nullable: true, description: 'The user or app that changed it last.' }),
    ...actorFields(t),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    membership: t.relation('membership', { description: 'The member whose role it is.' }),
    app: t.relation('app', { description: 'The app in which it holds.' }),
  }),
});

const RolesOfMember = defineList(RoleRecord, 'RoleRecord', rolesOfMember, {
  orders: { createdAt: 'When it was made.' },
  filter: {
    role: { type: MemberRole, description: 'Records of one of these roles.' },
    createdAt: { description: 'Records made in this span of time.' },
    updatedAt: { description: 'Records changed last in this span of time.' },
  },
});

/** The same list, seen from the app. */
const RolesOfApp: List = { ...RolesOfMember, rule: rolesOfApp };

builder.prismaObjectField('Membership', 'roles', (t) =>
  relatedConnection(t, 'appRoles', RolesOfMember, { description: 'What the member may do in apps.' }),
);

builder.prismaObjectField('App', 'roleRecords', (t) =>
  relatedConnection(t, 'roleRecords', RolesOfApp, { description: 'What members may do in it.' }),
);

const pair = {
  membershipId: 'The id of the membership.',
  appId: 'The id of the app.',
};

builder.queryField('role', (t) =>
  t.prismaField({
    type: RoleRecord,
    nullable: true,
    description: 'What a member may do in an app; null when nothing is recorded for the two.',
    args: {
      membershipId: t.arg.id({ required: true, description: pair.membershipId }),
      appId: t.arg.id({ required: true, description: pair.appId }),
    },
    extensions: { ...access('roles.read'), parleyRow: { permission: 'roles.read', where: roleOf, optional: true } },
    resolve: (query, _root, args, context) => findRole(context, args, query),
  }),
);

rowMutation('setRole', {
  updates: {
    model: 'AppRole',
    key: ({ viewer: { workspaceId } }, { membershipId = '', appId = '' }) => ({ workspaceId, membershipId, appId }),
    read: 'role(membershipId: $membershipId, appId: $appId)',
  },
  description:
    'Records what a member may do in an app, and so for what role it gets tokens for them, in the place of what was recorded before. Only an owner may record owner, or anything in an app that gets tokens for owners.',
  answers: ['role', RoleRecord, 'The record as it is now.'],
  input: (t) => ({
    membershipId: t.id({ required: true, description: pair.membershipId }),
    appId: t.id({ required: true, description: pair.appId }),
    role: t.field({ type: MemberRole, description: 'The role; null or left out: none in this app.' }),
  }),
  permission: 'roles.write',
  resolve: (context, { role, ...ids }) => setRole(context, ids, role ?? null),
});

const DeletedRole = builder.objectRef<{ membershipId: string; appId: string }>('DeletedRole').implement({
  description: 'A role record that was removed.',
  fields: (t) => ({
    membershipId: t.exposeID('membershipId', { description: pair.membershipId }),
    appId: t.exposeID('appId', { description: pair.appId }),
    deleted: t.boolean({ description: 'Always true: the record is no more.', resolve: () => true }),
  }),
});

rowMutation('deleteRole', {
  description: 'Removes what was recorded of a member in an app.',
  complete: true,
  answers: ['role', DeletedRole, 'What was removed.'],
  input: (t) => ({
    membershipId: t.id({ required: true, description: pair.membershipId }),
    appId: t.id({ required: true, description: pair.appId }),
  }),
  permission: 'roles.write',
  resolve: async (context, { membershipId, appId }) => {
    await deleteRole(context, { membershipId, appId });
    return { membershipId, appId };
  },
});
