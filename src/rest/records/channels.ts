import { z } from 'zod';
import { createdBy, givenObject, openObject, text, times, updatedBy, workspaceId } from './common.ts';

const platforms = ['api', 'widget', 'whatsapp', 'instagram', 'messenger', 'telegram', 'email', 'slack'] as const;

/** The platform of a channel or a conversation. */
export const platform = z.enum(platforms);

export const channel = z
  .strictObject({
    id: text('The id of the channel, the same in GraphQL.'),
    agentId: text('The agent that answers there.'),
    credentials: openObject(
      'What it takes to speak there. Every text and number is masked, at any depth, but those that lie under harmless keys alone: domain, origin, host, port, page, pageId, phoneNumberId, businessAccountId, name, label, region, locale, language, timezone, theme, color, position.',
    ),
    platform: platform.meta({ description: 'Which platform it is.' }),
    workspaceId,
    createdBy,
    updatedBy,
    ...times,
  })
  .meta({ id: 'Channel', description: 'A place where an agent is reachable.' });

export const channelInput = z
  .object({
    platform: platform.meta({ description: 'Which platform it is.' }),
    credentials: givenObject('What it takes to speak there: at most 16 KB, kept encrypted.'),
  })
  .meta({ examples: [{ platform: 'widget', credentials: { domain: 'example.com' } }] });
