import { z } from 'zod';
import { createdBy, nullableText, text, times, updatedBy, workspaceId } from './common.ts';

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
