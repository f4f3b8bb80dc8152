import { idAs } from '../../src/database/ids.ts';
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
  description: 'A link for the inviter to pass on to the invited person. It is shown only once.',
  fields: (t) => ({
    url: t.exposeString('url', {
      description:
        'URL of a page for answering the invitation. The part after the `#` is a bearer token for this purpose only.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the link expires.' }),
  }),
});

const Invitation = builder.objectRef<Invited>('Invitation').implement({
  description: 'An invitation as seen by the invited person.',
  fields: (t) => ({
    id: t.id({
      description: 'Unique ID of the invitation.',
      resolve: ({ membershipId }) => idAs('invitation', membershipId),
    }),
    membershipId: t.exposeID('membershipId', {
      description: 'ID of the pending membership, which is kept once the invitation is accepted.',
    }),
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace.' }),
    workspaceName: t.exposeString('workspaceName', { description: 'The name of the workspace.' }),
    role: t.expose('role', { type: MemberRole, description: 'Your role in the workspace if you accept.' }),
    name: t.exposeString('name', { description: 'Your name, as given by the inviter until you accept.' }),
    email: t.expose('email', { type: 'EmailAddress', description: 'The invited email address.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When you were invited.' }),
    acceptedAt: t.expose('acceptedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the invitation was accepted: by you or, while you can still answer it, by someone with its link.',
    }),
  }),
});

builder.objectField(Viewer, 'invitations', (t) =>
  t.field({
    type: [Invitation],
    description:
      "Invitations the bearer can answer, newest first. At most 100. With a person's own token: those to their email in every workspace, including those accepted through a link before they proved that the email is theirs. With a link: only its own.",
    resolve: (_viewer, _args, context) => listInvitations(context),
  }),
);

const payload = {
  field: 'membership',
  type: Membership,
  description: 'The membership, which is pending until the invitation is accepted.',
};
const more = {
  link: {
    type: InvitationLink,
    description: 'The link to pass on to the invited person, who is not notified otherwise.',
  },
};

rowMutation('inviteMember', {
  description:
    'Invites a person. They become a member when they accept, with their own token or, if the email is not known yet, with the link. Until then, the membership shows the details given here.',
  payload,
  more,
  input: (t) => ({
    email: t.field({
      type: 'EmailAddress',
      required: true,
      description: 'The email address, which identifies the person.',
    }),
    name: t.string({ required: true, description: 'The name of the person.' }),
    role: t.field({ type: MemberRole, required: true, description: 'Their role. Only an owner can invite owners.' }),
    phone: t.string({ description: 'The phone number, in E.164 format.' }),
    picture: t.string({ description: 'The HTTP or HTTPS URL of a picture.' }),
  }),
  permission: 'memberships.write',
  resolve: async (context, input) => {
    const { membership, link } = await inviteMember(context, input);
    return { row: membership, link };
  },
});

rowMutation('renewInvitationLink', {
  description:
    'Creates a new link, valid for seven days, for an invitation that is still unanswered. The old link stops working.',
  payload,
  more,
  input: (t) => ({ id: t.id({ required: true, description: 'ID of the membership.' }) }),
  permission: 'memberships.write',
  resolve: async (context, { id }) => {
    const { membership, link } = await renewInvitationLink(context, id);
    return { row: membership, link };
  },
});

rowMutation('acceptInvitation', {
  description:
    "Accepts an invitation and makes you a member of the workspace. Requires your own token or, if the invitation's email is not known yet, the link's. No other token is issued. Someone who accepts with the link is known in that workspace only, until the person with that email accepts with their own token and takes over the membership.",
  payload: { field: 'invitation', type: Invitation, description: 'The accepted invitation.' },
  input: (t) => ({ id: t.id({ required: true, description: 'ID of the invitation or of its membership.' }) }),
  permission: 'invitees',
  resolve: (context, { id }) => acceptInvitation(context, idAs('membership', id)),
});

deleteMutation('declineInvitation', {
  description: "Declines an invitation and deletes it. Requires your own token or the link's.",
  what: 'invitation',
  permission: 'invitees',
  remove: async (context, id) => {
    await declineInvitation(context, idAs('membership', id));
    return idAs('invitation', id);
  },
});
