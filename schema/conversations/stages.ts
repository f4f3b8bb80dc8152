import { value } from '../../src/core/value-kinds.ts';
import { reachedStageList } from '../../src/domain/conversations/stages.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, rootConnection } from '../shared/connections.ts';
import { Platform } from '../shared/platform.ts';
import { rowById } from '../shared/row-by-id.ts';
import { ConversationOutcome, ConversationStage } from './conversations.ts';

const ReachedStage = builder.prismaNode('ReachedStage', {
  description: 'That a conversation has reached a stage, for the first time.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the reached stage.' },
  nullable: true,
  findUnique: rowById('ReachedStage'),
  fields: (t) => ({
    conversationId: t.exposeID('conversationId', { description: 'ID of the conversation.' }),
    stage: t.expose('stage', { type: ConversationStage, description: 'The stage.' }),
    beganAt: t.expose('beganAt', { type: 'DateTime', description: 'When the conversation began.' }),
    reachedAt: t.expose('reachedAt', {
      type: 'DateTime',
      description:
        'When it reached the stage for the first time. Of a conversation from before 0.2: when it was last updated.',
    }),
    elapsed: t.exposeInt('elapsed', {
      extensions: value('amount', 's'),
      description: 'Seconds from the beginning of the conversation until then.',
    }),
    conversation: t.relation('conversation', { description: 'The conversation.' }),
  }),
});

const ReachedStageList = defineList(ReachedStage, 'ReachedStage', reachedStageList, {
  orders: { reachedAt: 'When the stage was reached.' },
  filter: {
    stage: { type: ConversationStage, description: 'One of these stages.' },
    reachedAt: { description: 'Stages that were reached in this time range.' },
    beganAt: { description: 'Stages of conversations that began in this time range.' },
    elapsed: { description: 'Seconds from the beginning of the conversation.' },
    conversation: { list: 'Conversation', description: 'Stages of conversations that match this filter.' },
  },
  groups: {
    moments: { reachedAt: 'When the stage was reached.', beganAt: 'When the conversation began.' },
    by: {
      stage: { type: ConversationStage, description: 'The stage.' },
      platform: { type: Platform, description: 'The platform the visitor writes from.' },
      preview: { type: 'Boolean', description: 'Whether the conversation only tries out the agent.' },
      outcome: { type: ConversationOutcome, description: 'How the conversation ended; `null` while it is open.' },
      agent: { description: 'The agent that replies in the conversation.' },
      channel: { description: 'The channel of the conversation.' },
    },
    numbers: { elapsed: 'Seconds from the beginning of the conversation until it reached the stage.' },
    distinct: { conversationId: 'The conversations.' },
  },
});

builder.prismaObjectField('Conversation', 'stages', (t) =>
  relatedConnection(t, 'stages', ReachedStageList, {
    description:
      'The stages that the conversation has reached, in the order in which it reached each for the first time.',
  }),
);

builder.queryField('reachedStages', (t) =>
  rootConnection(
    t,
    ReachedStageList,
    'The stages that conversations have reached, each for the first time, oldest first. Every conversation begins in `identify`.',
  ),
);
