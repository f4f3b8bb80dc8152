import { saveAgentRetention, saveRetention } from '../../src/domain/workspace/retention.ts';
import { Agent } from '../agents/agents.ts';
import { builder } from '../builder.ts';
import { type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { Settings, settingsUpdates } from './settings.ts';

const days = (t: InputBuilder) => ({
  conversations: t.int({
    description: 'Days after its last change until a conversation is deleted with its messages. For ever if omitted.',
  }),
  traces: t.int({ description: 'Days until the trace of a reply is deleted. For ever if omitted.' }),
  attachments: t.int({ description: 'Days until the attachments of a message are deleted. For ever if omitted.' }),
});

rowMutation('saveRetention', {
  updates: settingsUpdates,
  description:
    'Saves how long the data of the workspace is kept. What is older is deleted by a background job, and cannot be restored.',
  payload: { field: 'settings', type: Settings, description: 'The updated settings.' },
  input: (t) => ({
    ...days(t),
    deliveries: t.int({
      description: 'Days until events and their deliveries to webhooks are deleted: 30 if omitted, and at most.',
    }),
  }),
  write: saveRetention,
});

const AgentRetention = builder.inputType('AgentRetention', {
  description: 'How long the data of an agent is kept.',
  fields: (t) => days(t),
});

rowMutation('saveAgentRetention', {
  updates: { model: 'Agent' },
  description: 'Saves how long the data of an agent is kept, instead of what the settings of the workspace say.',
  payload: { field: 'agent', type: Agent, description: 'The updated agent.' },
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the agent.' }),
    retention: t.field({
      type: AgentRetention,
      description: 'How long its data is kept. If omitted or `null`, as in the settings of the workspace.',
    }),
  }),
  write: saveAgentRetention,
});
