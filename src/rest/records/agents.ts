import { z } from 'zod';
import { createdBy, maybeText, text, times, updatedBy, workspaceId } from './common.ts';

export const agent = z
  .strictObject({
    id: text('The id of the agent, the same in GraphQL.'),
    name: text('What the agent is called.'),
    description: maybeText('What the agent is about, for people.'),
    avatar: maybeText('The address of its picture.'),
    color: z.string().meta({ description: 'The colour of its widget, in hex.', examples: ['#2563eb'] }),
    welcome: maybeText('The first thing that it says.'),
    instructions: maybeText('How it shall behave, told to the model.'),
    off: maybeText('What it says when it is paused or over its limit.'),
    references: z.boolean().meta({ description: 'Whether its replies carry citations.' }),
    purpose: z.enum(['leads', 'support', 'sales', 'general']).meta({ description: 'What it is for.' }),
    freedom: z.enum(['restricted', 'balanced', 'free']).meta({
      description: 'How far it may go beyond its bases: `restricted` answers from them only.',
    }),
    behavior_type: z.enum(['basic', 'advanced']).meta({
      description: '`basic`: one question, one answer; `advanced`: may take several steps.',
    }),
    status: z.enum(['draft', 'active', 'paused', 'archived']).meta({
      description: 'A draft answers API callers and previews, not public channels.',
    }),
    left: z.boolean().meta({ description: 'Whether its widget sits on the left of the page.' }),
    workspaceId,
    createdBy,
    updatedBy,
    ...times,
  })
  .meta({ id: 'Agent', description: 'An assistant that holds conversations.' });
