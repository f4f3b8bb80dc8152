import { z } from 'zod';
import { text, times, workspaceId } from './common.ts';

const merge = z.enum(['never', 'email', 'phone', 'any']).meta({
  description:
    'What to do when a new lead matches an existing one: keep both, or merge by email, by phone, or by either.',
});

export const settings = z
  .strictObject({ merge, workspaceId, ...times })
  .meta({ id: 'Settings', description: 'The settings of a workspace.' });

export const settingsInput = z.object({ merge }).meta({ examples: [{ merge: 'email' }] });

export const monthlyUsage = z
  .strictObject({
    month: z.string().meta({ description: 'The month in UTC.', examples: ['2026-07'] }),
    current: z.number().meta({ description: 'Interactions used so far. Each generated reply is one interaction.' }),
    max: z.number().meta({ description: 'The maximum number of interactions. 0 without a current subscription.' }),
    subscriptionId: text('ID of the current subscription. Empty if there is none.'),
  })
  .meta({ id: 'MonthlyUsage', description: 'The interactions of the current month.' });

export const plugin = z
  .strictObject({
    schemaVersion: text("The version of the plugin's manifest."),
    nameForHuman: text('The name of the plugin, for people.'),
    nameForModel: text('The name of the plugin, for the model.'),
    descriptionForHuman: text('What the plugin does, for people.'),
    descriptionForModel: text('What the plugin does and when to call it, for the model.'),
    auth: z
      .strictObject({
        type: z
          .enum(['none', 'service_http', 'user_http', 'oauth'])
          .meta({ description: 'The kind of token the plugin takes.' }),
      })
      .meta({ description: 'How calls to the plugin are authenticated.' }),
    api: z
      .strictObject({
        type: z.string().meta({ description: 'The kind of API description.', examples: ['openapi'] }),
        url: text('The URL of the OpenAPI description.'),
        hasUserAuthentication: z.boolean().meta({ description: 'Whether the user must authenticate.' }),
      })
      .meta({ description: 'The API of the plugin.' }),
    logoUrl: text("The URL of the plugin's logo."),
    contactEmail: text('The contact email address for the plugin. May be empty.'),
    legalInfoUrl: text("The URL of the plugin's terms."),
    id: text('Unique ID of the plugin, the same in GraphQL.'),
    url: text("The URL of the plugin's manifest."),
    settingsUrl: text('The URL where a person sets up the plugin.'),
    oauthClientId: text('OAuth client ID of this service at the authorization server.'),
    oauthClientSecret: text(
      'OAuth client secret of this service at the authorization server, masked. Empty if none is set.',
    ),
    disclaimer: text('A notice that users must be given before they use the plugin.'),
    ...times,
  })
  .meta({ id: 'Plugin', description: 'An external tool that agents can call.' });

export const pluginChange = z
  .object({
    url: z.string().optional().meta({ description: "The HTTP or HTTPS URL of the plugin's manifest, or empty." }),
    settingsUrl: z.string().optional().meta({ description: 'The URL where a person sets up the plugin, or empty.' }),
    oauthClientId: z
      .string()
      .optional()
      .meta({ description: 'OAuth client ID of this service at the authorization server.' }),
    oauthClientSecret: z.string().optional().meta({
      description:
        'OAuth client secret of this service at the authorization server, stored encrypted. Sending back the masked value keeps it; an empty string removes it.',
    }),
  })
  .meta({ examples: [{ settingsUrl: 'https://plugin.example.com/settings' }] });

export const credential = z
  .strictObject({ accessToken: text('The token to call the plugin with.') })
  .meta({ id: 'Credential', description: 'What an agent needs to call a plugin.' });
