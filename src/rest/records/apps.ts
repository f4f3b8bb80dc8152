import { z } from 'zod';
import { exampleId, text } from './common.ts';
import { memberRole } from './memberships.ts';

const name = z.string().meta({ description: 'The name of the app.' });
const color = z.string().meta({ description: 'The color that represents the app, in hex.', examples: ['#2563eb'] });
const redirectUris = z.array(z.string()).meta({ description: 'URLs the app can redirect to after sign-in.' });
const roles = z.array(z.unknown()).meta({
  description:
    'Roles that the app defines, in its own format. If an item is `viewer`, `editor`, `admin` or `owner`, or an object whose `role`, `id`, `key` or `name` is, the app can get tokens for the highest role so named, or for `editor` if there is none. Only an owner can name `owner`.',
});
const internal = z.boolean().meta({ description: 'Whether the app is part of the service itself.' });

export const app = z
  .strictObject({
    id: text('ID of the app, chosen by its creator.'),
    name,
    color,
    redirectUris,
    roles,
    internal,
    secret: text(
      'The secret the app authenticates with: in full for owners and admins (for owners only, if the app gets tokens for owners), otherwise masked. A token from `POST /apps/auth` sees the full secret only in the response that creates the app.',
    ),
  })
  .meta({ id: 'App', description: 'A program that uses the service on behalf of the workspace.' });

export const appInput = z
  .object({
    id: z.string().meta({
      description: 'ID of the app, unique in the workspace: 1 to 64 letters, digits, dots, underscores and hyphens.',
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
        id: 'loyalty',
        name: 'Loyalty card',
        color: '#2563eb',
        redirectUris: ['https://loyalty.example.com/callback'],
        roles: ['reader'],
        internal: false,
      },
    ],
  });

export const authentication = z
  .object({
    userId: z.string().meta({ description: 'ID of the person the token is for, a member of the workspace.' }),
    role: memberRole.meta({
      description: "The role that the token grants: at most the member's role and the role the caller can grant.",
    }),
    tenantId: z.string().meta({ description: "ID of the workspace, which must be the bearer's." }),
  })
  .meta({
    examples: [{ userId: exampleId('usr'), role: 'viewer', tenantId: exampleId('wsp') }],
  });

export const token = z
  .strictObject({ token: text('The access token, a bearer token valid for one hour.') })
  .meta({ id: 'Token', description: 'An access token.' });
