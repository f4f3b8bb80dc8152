import { z } from 'zod';
import { text } from './common.ts';
import { memberRole } from './memberships.ts';

const name = z.string().meta({ description: 'What the app is called.' });
const color = z.string().meta({ description: 'The colour that stands for it, in hex.', examples: ['#2563eb'] });
const redirectUris = z.array(z.string()).meta({ description: 'Where it may send people after they sign in.' });
const roles = z.array(z.unknown()).meta({
  description:
    'The roles that it knows, in its own form. Where an item is `viewer`, `editor`, `admin` or `owner`, or an object whose `role`, `id`, `key` or `name` is, the highest so named is what it gets tokens for; `editor` where none is. Only an owner may name owner.',
});
const internal = z.boolean().meta({ description: 'Whether it is a part of the service itself.' });

export const app = z
  .strictObject({
    id: text('The id of the app, given by whoever made it.'),
    name,
    color,
    redirectUris,
    roles,
    internal,
    secret: text(
      'The secret with which it authenticates: in full for owners and admins, else masked. That of an app that gets tokens for owners is shown to owners. A token of POST /apps/auth sees in full that of an app which it just made, and no other.',
    ),
  })
  .meta({ id: 'App', description: 'A program that uses the service on behalf of the workspace.' });

export const appInput = z
  .object({
    id: z.string().meta({
      description: 'Its id, unique in the workspace: 1 to 64 letters, digits, dots, underscores and hyphens.',
    }),
    name,
    color: color.optional(),
    redirectUris: redirectUris.optional(),
    roles: roles.optional(),
    internal: internal.optional(),
  })
  .meta({
    examples: [
      {
        id: 'portal',
        name: 'Portal',
        color: '#2563eb',
        redirectUris: ['https://portal.example.com/callback'],
        roles: ['reader'],
        internal: false,
      },
    ],
  });

export const authentication = z
  .object({
    userId: z.string().meta({ description: 'The person to get a token for: a member of the workspace.' }),
    role: memberRole.meta({
      description: 'What the token shall be good for: at most the role of the member, and what the caller may give.',
    }),
    tenantId: z.string().meta({ description: 'The workspace: that of the bearer.' }),
  })
  .meta({
    examples: [{ userId: 'usr_01k2m3n4p5q6r7s8t9v0w1x2y3', role: 'owner', tenantId: 'wsp_01k2m3n4p5q6r7s8t9v0w1x2y3' }],
  });

export const token = z
  .strictObject({ token: text('The access token: a bearer for one hour.') })
  .meta({ id: 'Token', description: 'An access token.' });
