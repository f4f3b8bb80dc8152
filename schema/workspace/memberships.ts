import { membershipList, removeMember, updateMember } from '../../src/domain/workspace/memberships.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, rowMutation } from '../shared/mutations.ts';
import { MemberRole } from './member-role.ts';

export const Membership = builder.prismaNode('Membership', {
  description: 'That a person belongs to the workspace, or is invited to it, and as what.',
  id: { field: 'id', description: 'The id of the membership, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The id of the workspace.' }),
    userId: t.exposeID('userId', {
      description: 'The id of the person; until they accept, of what the inviter gave of them.',
    }),
    role: t.expose('role', { type: MemberRole, description: 'What the member may do in the workspace.' }),
    acceptedAt: t.expose('acceptedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the person accepted the invitation; null: they have not, and are no member yet.',
    }),
    linkExpiresAt: t.expose('linkExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when the link of the invitation can be used; null when there is none.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made: the person was invited.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    user: t.relation('user', { description: 'The person; until they accept, what the inviter gave and nothing else.' }),
    workspace: t.relation('workspace', { description: 'The workspace.' }),
  }),
});

export const MembershipList = defineList(Membership, 'Membership', membershipList, {
  orders: { createdAt: 'When it was made.' },
  filter: {
    role: { type: MemberRole, description: 'Members with one of these roles.' },
    userId: { type: 'ID', description: 'The member that is this person.' },
    accepted: { type: 'Boolean', description: 'Members who have accepted, or those who are only invited.' },
    ids: { type: 'ID', description: 'Members with one of these ids.' },
    userIds: { type: 'ID', description: 'Members who are one of these persons.' },
    createdAt: { description: 'Members invited in this span of time.' },
    updatedAt: { description: 'Members changed last in this span of time.' },
  },
  search: 'Text to find in the name and email of the person; case and accents do not matter.',
  groups: {
    moments: { createdAt: 'When the person was invited.' },
    by: {
      role: { type: MemberRole, description: 'What the member may do.' },
      accepted: { description: 'Whether the person has accepted.' },
    },
  },
});

/** A person is global, but seen only as a member of the viewer's workspace, and with no membership of others. */
export const User = builder.prismaNode('User', {
  description: 'A person who is a member of the workspace.',
  id: { field: 'id', description: 'The id of the person.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, memberships: { some: { workspaceId: viewer.workspaceId } } }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What the person is called.' }),
    email: t.expose('email', { type: 'EmailAddress', description: 'The email address, in lower case.' }),
    phone: t.exposeString('phone', { nullable: true, description: 'The phone number, in E.164.' }),
    picture: t.exposeString('picture', { nullable: true, description: 'The address of a picture.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the person was first known.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    memberships: relatedConnection(t, 'memberships', MembershipList, {
      description: 'The membership of the workspace.',
    }),
  }),
});

builder.queryFields((t) => ({
  memberships: rootConnection(t, MembershipList, 'The members of the workspace, newest first.'),
  membership: rootRow(t, MembershipList, 'One member.'),
}));

const answers: [string, unknown, string] = ['membership', Membership, 'The membership as it is now.'];

rowMutation('updateMember', {
  updates: { model: 'Membership' },
  description: 'Gives a member another role. Only an owner may make or change an owner, and the last one stays.',
  answers,
  input: (t) => ({
    id: t.id({ required: true, description: 'The id of the membership.' }),
    role: t.field({ type: MemberRole, required: true, description: 'What the member may do from now on.' }),
  }),
  permission: 'memberships.write',
  resolve: (context, { id, role }) => updateMember(context, id, role),
});

deleteMutation('removeMember', {
  updates: { model: 'Membership' },
  description:
    'Takes a member out of the workspace, or an invitation back; their tokens and its link stop working. The last owner stays.',
  what: 'membership',
  permission: 'memberships.write',
  remove: removeMember,
});
