import { z } from 'zod';
import { text, times, workspaceId } from './common.ts';

const merge = z.enum(['never', 'email', 'phone', 'any']).meta({
  description:
    'What to do when a new lead matches an existing one: keep both, or merge by email, by phone, or by either.',
});

export const settings = z
  .strictObject({ merge, workspaceId, ...times })
  .meta({ id: 'Settings', description: 'The settings of a workspace.' });

export const settingsInput = z.object({ merge }).meta({ examples: [{ merge: 'email' }] });

export const monthlyUsage = z
  .strictObject({
    month: z.string().meta({ description: 'The month in UTC.', examples: ['2026-07'] }),
    current: z.number().meta({ description: 'Interactions used so far. Each generated reply is one interaction.' }),
    max: z.number().meta({ description: 'The maximum number of interactions. 0 without a current subscription.' }),
    subscriptionId: text('ID of the current subscription. Empty if there is none.'),
  })
  .meta({ id: 'MonthlyUsage', description: 'The interactions of the current month.' });
