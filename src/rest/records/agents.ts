import { z } from 'zod';
import { createdBy, givenObject, nullableText, openObject, text, times, updatedBy, workspaceId } from './common.ts';

export const agent = z
  .strictObject({
    id: text('Unique ID of the agent, the same in GraphQL.'),
    name: text('The name of the agent.'),
    description: nullableText('A description of the agent, for people.'),
    avatar: nullableText("The URL of the agent's picture."),
    color: z.string().meta({ description: 'The color of the widget, in hex.', examples: ['#2563eb'] }),
    welcome: nullableText('The first message of the agent.'),
    instructions: nullableText('Instructions for the model on how the agent should behave.'),
    off: nullableText('The message of the agent when it is paused or over its limit.'),
    references: z.boolean().meta({ description: 'Whether replies include citations.' }),
    purpose: z.enum(['leads', 'support', 'sales', 'general']).meta({ description: 'The purpose of the agent.' }),
    freedom: z.enum(['restricted', 'balanced', 'free']).meta({
      description:
        'How far replies may go beyond the knowledge bases. With `restricted`, the agent answers from them only.',
    }),
    behavior_type: z.enum(['basic', 'advanced']).meta({
      description: '`basic`: one question, one answer. `advanced`: may take several steps.',
    }),
    status: z.enum(['draft', 'active', 'paused', 'archived']).meta({
      description: 'The status of the agent. A draft answers API callers and previews, but not public channels.',
    }),
    left: z.boolean().meta({ description: 'Whether the widget is on the left of the page.' }),
    workspaceId,
    createdBy,
    updatedBy,
    ...times,
  })
  .meta({ id: 'Agent', description: 'An assistant that holds conversations.' });

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
