import { z } from 'zod';
import { createdBy, givenObject, openObject, text, times, updatedBy, workspaceId } from './common.ts';

const platforms = ['api', 'widget', 'whatsapp', 'instagram', 'messenger', 'telegram', 'email', 'slack'] as const;

/** The platform of a channel or a conversation. */
export const platform = z.enum(platforms);

export const channel = z
  .strictObject({
    id: text('Unique ID of the channel, the same in GraphQL.'),
    agentId: text('ID of the agent that answers on the channel.'),
    credentials: openObject(
      'Credentials for the platform. All strings and numbers are masked, at any depth, unless all keys above them are among these: domain, origin, host, port, page, pageId, phoneNumberId, businessAccountId, name, label, region, locale, language, timezone, theme, color, position.',
    ),
    platform: platform.meta({ description: 'The platform of the channel.' }),
    workspaceId,
    createdBy,
    updatedBy,
    ...times,
  })
  .meta({ id: 'Channel', description: 'A place where an agent can be reached.' });

export const channelInput = z
  .object({
    platform: platform.meta({ description: 'The platform of the channel.' }),
    credentials: givenObject('Credentials for the platform. At most 16 KB, stored encrypted.'),
  })
  .meta({ examples: [{ platform: 'widget', credentials: { domain: 'example.com' } }] });
