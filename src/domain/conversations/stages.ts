import { listRule } from '../../lists/list.ts';

const via = { relation: 'conversation', model: 'Conversation' } as const;

/** The stages that conversations have reached, each for the first time. */
export const reachedStageList = listRule({
  model: 'ReachedStage',
  permission: 'conversations.read',
  analytics: { except: [] },
  orders: { reachedAt: { type: 'date' } },
  defaultDirection: 'asc',
  filters: {
    stage: { kind: 'in', column: 'stage' },
    reachedAt: { kind: 'range', column: 'reachedAt' },
    beganAt: { kind: 'range', column: 'beganAt' },
    elapsed: { kind: 'number', column: 'elapsed' },
    conversation: { kind: 'relation', relation: 'conversation', model: 'Conversation' },
  },
  groups: {
    moments: ['reachedAt', 'beganAt'],
    by: {
      stage: { kind: 'value', column: 'stage' },
      platform: { kind: 'value', column: 'platform', via },
      preview: { kind: 'value', column: 'preview', via },
      outcome: { kind: 'value', column: 'outcome', via },
      agent: { kind: 'related', column: 'agentId', model: 'Agent', allowed: ['name'], via },
      channel: { kind: 'related', column: 'channelId', model: 'Channel', allowed: ['platform'], via },
    },
    numbers: ['elapsed'],
    units: { elapsed: 's' },
    distinct: ['conversationId'],
  },
});
