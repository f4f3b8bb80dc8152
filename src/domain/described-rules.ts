import { z } from 'zod';
import { channelInput } from './agents/channels.ts';
import { documentInput } from './content/content.ts';
import { fieldInput, optionsRule } from './fields/custom-fields.ts';
import { baseInput } from './knowledge/knowledge-bases.ts';
import { plainLead } from './leads/leads.ts';
import { pluginInput } from './plugins/plugins.ts';
import { turnInput } from './turns/input.ts';
import { appInput } from './workspace/apps.ts';
import { settingsInput } from './workspace/settings.ts';

const { message: _, messages: __, ...besideMessages } = turnInput.shape;

/** The input rules of mutations by name, for the API description. */
export const describedRules: Record<string, z.ZodType> = {
  sendMessage: turnInput.meta({
    anyOf: [
      { required: ['message'], properties: { message: { type: 'object' } } },
      { required: ['messages'], properties: { messages: { type: 'array', items: {}, minItems: 1 } } },
    ],
  }),
  sendChatMessage: z.object(besideMessages),
  createChannel: channelInput,
  createLead: plainLead,
  createField: fieldInput.meta({ anyOf: optionsRule }),
  updateField: fieldInput
    .partial()
    .meta({ anyOf: [...optionsRule, { not: { required: ['type'], properties: { type: {} } } }] }),
  updatePlugin: pluginInput.partial(),
  saveSettings: settingsInput,
  createBase: baseInput,
  updateBase: baseInput,
  createApp: appInput,
  updateDocument: documentInput,
};
