import { membershipList, removeMember, updateMember } from '../../src/domain/workspace/memberships.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';
import { MemberRole } from './member-role.ts';

export const Membership = builder.prismaNode('Membership', {
  description: "A person's membership of the workspace, or invitation to it, with a role.",
  id: { resolve: ({ id }) => id, description: 'Unique ID of the membership, the same in REST.' },
  nullable: true,
  findUnique: rowById('Membership'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace.' }),
    userId: t.exposeID('userId', {
      description: 'ID of the person. Until they accept, ID of the details given by the inviter.',
    }),
    role: t.expose('role', { type: MemberRole, description: "The member's role in the workspace." }),
    acceptedAt: t.expose('acceptedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the person accepted the invitation. `null` if they have not and are not a member yet.',
    }),
    linkExpiresAt: t.expose('linkExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the invitation link expires. `null` if there is no link.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the membership was created, which is when the person was invited.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the membership was last updated.' }),
    user: t.relation('user', { description: 'The person. Until they accept, only the details given by the inviter.' }),
    workspace: t.relation('workspace', { description: 'The workspace.' }),
  }),
});

export const MembershipList = defineList(Membership, 'Membership', membershipList, {
  orders: { createdAt: 'When the membership was created.' },
  filter: {
    role: { type: MemberRole, description: 'Members with one of these roles.' },
    userId: { type: 'ID', description: 'The member who is this person.' },
    accepted: { type: 'Boolean', description: 'Members who have accepted (true) or are only invited (false).' },
    ids: { type: 'ID', description: 'Members with one of these membership IDs.' },
    userIds: { type: 'ID', description: 'Members who are one of these people.' },
    createdAt: { description: 'Members invited in this time range.' },
    updatedAt: { description: 'Members last updated in this time range.' },
  },
  search: "Text to find in the person's name and email, ignoring case and accents.",
  groups: {
    moments: { createdAt: 'When the person was invited.' },
    by: {
      role: { type: MemberRole, description: "The member's role." },
      accepted: { description: 'Whether the person has accepted.' },
    },
  },
});

/** A person is global, but seen only as a member of the viewer's workspace, and with no membership of others. */
export const User = builder.prismaNode('User', {
  description: 'A person who is a member of the workspace.',
  id: { field: 'id', description: 'Unique ID of the person.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, memberships: { some: { workspaceId: viewer.workspaceId } } }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the person.' }),
    email: t.expose('email', { type: 'EmailAddress', description: 'The email address, in lowercase.' }),
    phone: t.exposeString('phone', { nullable: true, description: 'The phone number, in E.164 format.' }),
    picture: t.exposeString('picture', { nullable: true, description: 'The URL of a picture.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the person was first known.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the person was last updated.' }),
    memberships: relatedConnection(t, 'memberships', MembershipList, {
      description: "The person's membership of the workspace.",
    }),
  }),
});

builder.queryFields((t) => ({
  memberships: rootConnection(t, MembershipList, 'The members of the workspace, newest first.'),
  membership: rootRow(t, MembershipList, 'Returns a membership by ID.'),
}));

const payload = { field: 'membership', type: Membership, description: 'The updated membership.' };

rowMutation('updateMember', {
  description:
    'Changes the role of a member. Only an owner can promote someone to owner or change an owner, and the last owner must remain.',
  payload,
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the membership.' }),
    role: t.field({ type: MemberRole, required: true, description: "The member's new role." }),
  }),
  write: updateMember,
});

deleteMutation('removeMember', {
  description:
    'Removes a member from the workspace or withdraws an invitation. Their tokens and the invitation link stop working. The last owner cannot be removed.',
  what: 'membership',
  write: removeMember,
});
