import { z } from 'zod';
import { platform } from './agents.ts';
import { nullableText, openObject, text, times, workspaceId } from './common.ts';
import { lead } from './leads.ts';

export const conversationStatus = z
  .enum(['active', 'waiting_human', 'resolved', 'archived'])
  .meta({ description: 'The status of the conversation. A new message reopens a resolved one.' });

export const conversation = z
  .strictObject({
    id: text('Unique ID of the conversation, the same in GraphQL.'),
    title: text('The title of the conversation.'),
    agentId: text('ID of the agent.'),
    channelId: text('ID of the channel the conversation came through.'),
    workspaceId,
    platform: platform.meta({ description: 'The platform the conversation came through.' }),
    context: openObject('Data on how the conversation started, such as UTM parameters.'),
    platformUserIdentifier: text('Identifier of the visitor on the platform. Empty if unknown.'),
    leadId: nullableText('ID of the lead for the visitor.'),
    stage: z
      .enum(['identify', 'qualify', 'assist', 'handoff', 'completed'])
      .meta({ description: 'The stage the conversation has reached.' }),
    preview: z.boolean().meta({
      description: 'Whether it only tries out the agent. Previews are not counted.',
    }),
    summary: nullableText('A short summary of the conversation.'),
    status: conversationStatus,
    lead: lead.nullable().meta({ description: 'The lead for the visitor.' }),
    ...times,
  })
  .meta({ id: 'Conversation', description: 'A conversation between a visitor and an agent.' });
