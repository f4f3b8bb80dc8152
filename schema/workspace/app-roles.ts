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
  description: "A member's role in an app. Identified by the pair of both IDs; it has no ID of its own.",
  fields: (t) => ({
    membershipId: t.exposeID('membershipId', { description: 'ID of the membership.' }),
    appId: t.exposeID('appId', { description: 'ID of the app.' }),
    role: t.expose('role', {
      type: MemberRole,
      nullable: true,
      description: 'The role in the app. `null` if the member has no role in it.',
    }),
    createdBy: t.exposeID('createdBy', {
      nullable: true,
      description: 'ID of the user, app or key that created the role record.',
    }),
    updatedBy: t.exposeID('updatedBy', {
      nullable: true,
      description: 'ID of the user, app or key that last updated the role record.',
    }),
    ...actorFields(t),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the role record was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the role record was last updated.' }),
    membership: t.relation('membership', { description: 'The membership of the member with this role.' }),
    app: t.relation('app', { description: 'The app the role applies to.' }),
  }),
});

const RolesOfMember = defineList(RoleRecord, 'RoleRecord', rolesOfMember, {
  orders: { createdAt: 'When the role record was created.' },
  filter: {
    role: { type: MemberRole, description: 'Role records with one of these roles.' },
    createdAt: { description: 'Role records created in this time range.' },
    updatedAt: { description: 'Role records last updated in this time range.' },
  },
});

/** The same list, seen from the app. */
const RolesOfApp: List = { ...RolesOfMember, rule: rolesOfApp };

builder.prismaObjectField('Membership', 'roles', (t) =>
  relatedConnection(t, 'appRoles', RolesOfMember, { description: "The member's roles in apps." }),
);

builder.prismaObjectField('App', 'roleRecords', (t) =>
  relatedConnection(t, 'roleRecords', RolesOfApp, { description: 'The roles of members in the app.' }),
);

const pair = {
  membershipId: 'ID of the membership.',
  appId: 'ID of the app.',
};

builder.queryField('role', (t) =>
  t.prismaField({
    type: RoleRecord,
    nullable: true,
    description: "A member's role in an app. `null` if none is recorded for this pair.",
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
    "Sets a member's role in an app, which determines the role the app can get tokens for. Replaces any earlier record. Only an owner can set the role `owner`, or any role in an app that gets tokens for owners.",
  payload: { field: 'role', type: RoleRecord, description: 'The updated role record.' },
  input: (t) => ({
    membershipId: t.id({ required: true, description: pair.membershipId }),
    appId: t.id({ required: true, description: pair.appId }),
    role: t.field({
      type: MemberRole,
      description: 'The role. If `null` or omitted, the member has no role in the app.',
    }),
  }),
  write: setRole,
});

const DeletedRole = builder.objectRef<{ membershipId: string; appId: string }>('DeletedRole').implement({
  description: 'A deleted role record.',
  fields: (t) => ({
    membershipId: t.exposeID('membershipId', { description: pair.membershipId }),
    appId: t.exposeID('appId', { description: pair.appId }),
    deleted: t.boolean({
      description: 'Always true: the role record was deleted.',
      extensions: { parleyColumns: [] },
      resolve: () => true,
    }),
  }),
});

rowMutation('deleteRole', {
  description: "Deletes the record of a member's role in an app.",
  complete: true,
  payload: { field: 'role', type: DeletedRole, description: 'The deleted role record.' },
  input: (t) => ({
    membershipId: t.id({ required: true, description: pair.membershipId }),
    appId: t.id({ required: true, description: pair.appId }),
  }),
  write: deleteRole,
});
