import {
  acceptInvitation,
  declineInvitation,
  type Invitation as Invited,
  inviteMember,
  type InvitationLink as Link,
  listInvitations,
  renewInvitationLink,
} from '../../src/domain/workspace/invitations.ts';
import { builder } from '../builder.ts';
import { deleteMutation, rowMutation } from '../shared/mutations.ts';
import { Viewer } from './accounts.ts';
import { MemberRole } from './member-role.ts';
import { Membership } from './memberships.ts';

const InvitationLink = builder.objectRef<Link>('InvitationLink').implement({
  description: 'What the inviter passes on to whoever is invited. It is shown once.',
  fields: (t) => ({
    url: t.exposeString('url', {
      description:
        'The address of a page on which the invitation can be answered. What follows the # is a bearer for that alone.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it can be used.' }),
  }),
});

const Invitation = builder.objectRef<Invited>('Invitation').implement({
  description: 'An invitation as whoever is invited sees it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id, which is that of the membership once it is accepted.' }),
    workspaceId: t.exposeID('workspaceId', { description: 'The id of the workspace.' }),
    workspaceName: t.exposeString('workspaceName', { description: 'What the workspace is called.' }),
    role: t.expose('role', { type: MemberRole, description: 'What you may do in the workspace if you accept.' }),
    name: t.exposeString('name', { description: 'What you are called: by the inviter, until you accept.' }),
    email: t.expose('email', { type: 'EmailAddress', description: 'The email address that is invited.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When you were invited.' }),
    acceptedAt: t.expose('acceptedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When it was accepted: by you, or, while it is among those that you may answer, by whoever had its link.',
    }),
  }),
});

builder.objectField(Viewer, 'invitations', (t) =>
  t.field({
    type: [Invitation],
    description:
      'The invitations that the bearer may answer, newest first, at most 100: of a person’s own token, those to their email in every workspace, and those that a link was accepted for before they proved that the email is theirs; of a link, its own.',
    resolve: (_viewer, _args, context) => listInvitations(context),
  }),
);

const answers: [string, unknown, string] = ['membership', Membership, 'The membership, pending until it is accepted.'];
const more = {
  link: { type: InvitationLink, description: 'The link to pass on; nobody else is told of the invitation.' },
};

rowMutation('inviteMember', {
  description:
    'Invites somebody. They are a member when they accept, by a token of their own or, where nobody is known by that email, by the link; until then the membership shows what is given here.',
  answers,
  more,
  input: (t) => ({
    email: t.field({
      type: 'EmailAddress',
      required: true,
      description: 'The email address, by which people are known.',
    }),
    name: t.string({ required: true, description: 'What the person is called.' }),
    role: t.field({ type: MemberRole, required: true, description: 'What they may do; only an owner makes owners.' }),
    phone: t.string({ description: 'The phone number, in E.164.' }),
    picture: t.string({ description: 'The http or https address of a picture.' }),
  }),
  permission: 'memberships.write',
  resolve: async (context, input) => {
    const { membership, link } = await inviteMember(context, input);
    return { row: membership, link };
  },
});

rowMutation('renewInvitationLink', {
  description: 'Gives an invitation that is not answered yet a new link for seven days; the old one stops working.',
  answers,
  more,
  input: (t) => ({ id: t.id({ required: true, description: 'The id of the membership.' }) }),
  permission: 'memberships.write',
  resolve: async (context, { id }) => {
    const { membership, link } = await renewInvitationLink(context, id);
    return { row: membership, link };
  },
});

rowMutation('acceptInvitation', {
  description:
    'Makes you a member of the workspace that invited you. The bearer is a token of your own, or the link where nobody is known by the email of the invitation; it gets no other token by this. Whoever accepts by the link is known in that workspace alone, until the person with the email accepts by a token of their own and takes the membership over.',
  answers: ['invitation', Invitation, 'The invitation that you accepted.'],
  input: (t) => ({ id: t.id({ required: true, description: 'The id of the invitation.' }) }),
  permission: 'invitees',
  resolve: (context, { id }) => acceptInvitation(context, id),
});

deleteMutation('declineInvitation', {
  description: 'Turns an invitation down, which is no more then. The bearer is a token of your own, or the link.',
  what: 'invitation',
  permission: 'invitees',
  remove: declineInvitation,
});
