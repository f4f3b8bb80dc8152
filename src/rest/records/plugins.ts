import { z } from 'zod';
import { text, times } from './common.ts';

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
