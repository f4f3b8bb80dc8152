import { z } from 'zod';
import { platform } from './channels.ts';
import { maybeText, openObject, text, times, workspaceId } from './common.ts';
import { lead } from './leads.ts';

export const conversationStatus = z
  .enum(['active', 'waiting_human', 'resolved', 'archived'])
  .meta({ description: 'Whether it goes on; a new message reopens a resolved one.' });

export const conversation = z
  .strictObject({
    id: text('The id of the conversation, the same in GraphQL.'),
    title: text('What it is about.'),
    agentId: text('The agent that answers.'),
    channelId: text('The channel that it came through.'),
    workspaceId,
    platform: platform.meta({ description: 'The platform that it came through.' }),
    context: openObject('What is known about how it began, such as its UTM data.'),
    platformUserIdentifier: text('Who the visitor is on the platform; empty when that is not known.'),
    leadId: maybeText('The lead that the visitor is known as.'),
    stage: z
      .enum(['identify', 'qualify', 'assist', 'handoff', 'completed'])
      .meta({ description: 'How far it has come.' }),
    preview: z.boolean().meta({ description: 'Whether it only tries the agent out; previews are not counted.' }),
    summary: maybeText('What was said, in short.'),
    status: conversationStatus,
    lead: lead.nullable().meta({ description: 'The lead that the visitor is known as.' }),
    ...times,
  })
  .meta({ id: 'Conversation', description: 'What a visitor and an agent say to each other.' });
