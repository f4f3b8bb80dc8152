import type { z } from 'zod';
import { appInput } from './apps.ts';
import { channelInput } from './channels.ts';
import { documentInput } from './content.ts';
import { fieldInput, optionsRule } from './custom-fields.ts';
import { baseInput } from './knowledge-bases.ts';
import { plainLead } from './leads.ts';
import { pluginInput } from './plugins.ts';
import { settingsInput } from './settings.ts';
import { turnInput } from './turn-input.ts';

/** The rules of what mutations take, by their name, for whoever describes them. */
export const describedRules: Record<string, z.ZodType> = {
  sendMessage: turnInput.meta({
    anyOf: [
      { required: ['message'], properties: { message: { type: 'object' } } },
      { required: ['messages'], properties: { messages: { type: 'array', items: {}, minItems: 1 } } },
    ],
  }),
  createChannel: channelInput,
  createLead: plainLead,
  createField: fieldInput.meta({ anyOf: optionsRule }),
  updateField: fieldInput.partial().meta({ anyOf: [...optionsRule, { not: { required: ['type'] } }] }),
  updatePlugin: pluginInput.partial(),
  saveSettings: settingsInput,
  createBase: baseInput,
  updateBase: baseInput,
  createApp: appInput,
  updateDocument: documentInput,
};
