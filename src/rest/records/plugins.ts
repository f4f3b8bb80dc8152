import { z } from 'zod';
import { text, times } from './common.ts';

export const plugin = z
  .strictObject({
    schemaVersion: text('The version of its manifest.'),
    nameForHuman: text('What people call it.'),
    nameForModel: text('What the model calls it.'),
    descriptionForHuman: text('What it does, for people.'),
    descriptionForModel: text('What it does and when to call it, for the model.'),
    auth: z
      .strictObject({
        type: z
          .enum(['none', 'service_http', 'user_http', 'oauth'])
          .meta({ description: 'The kind of token that it takes.' }),
      })
      .meta({ description: 'How it is called.' }),
    api: z
      .strictObject({
        type: z.string().meta({ description: 'The kind of description.', examples: ['openapi'] }),
        url: text('Where the OpenAPI description is.'),
        hasUserAuthentication: z.boolean().meta({ description: 'Whether it needs the user to authenticate.' }),
      })
      .meta({ description: 'Its interface.' }),
    logoUrl: text('The address of its picture.'),
    contactEmail: text('Whom to write to about it; may be empty.'),
    legalInfoUrl: text('Where its terms are.'),
    id: text('The id of the plugin, the same in GraphQL.'),
    url: text('Where its manifest is.'),
    settingsUrl: text('Where a person sets it up.'),
    oauthClientId: text('Our client id at its authorization server.'),
    oauthClientSecret: text('Our client secret there, masked; empty when none was set.'),
    disclaimer: text('What users must be told before they use it.'),
    ...times,
  })
  .meta({ id: 'Plugin', description: 'An external tool that agents may call.' });

export const pluginChange = z
  .object({
    url: z.string().optional().meta({ description: 'Where its manifest is: an http or https address, or empty.' }),
    settingsUrl: z.string().optional().meta({ description: 'Where a person sets it up: an address, or empty.' }),
    oauthClientId: z.string().optional().meta({ description: 'Our client id at its authorization server.' }),
    oauthClientSecret: z.string().optional().meta({
      description:
        'Our client secret there, kept encrypted. Sent back masked, as it was read, it stays; empty removes it.',
    }),
  })
  .meta({ examples: [{ settingsUrl: 'https://plugin.example.com/settings' }] });

export const credential = z
  .strictObject({ accessToken: text('The token to call the plugin with.') })
  .meta({ id: 'Credential', description: 'What an agent needs to call a plugin.' });
