import { z } from 'zod';
import { actorOf } from '../../core/viewer.ts';
import { jsonNull } from '../../database/json.ts';
import { change } from '../../database/query/write.ts';
import { parseInput } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';
import { settingsWrite } from './settings.ts';

const days = z
  .int32('must be a whole number')
  .min(1, 'must be between 1 and 36500')
  .max(36_500, 'must be between 1 and 36500')
  .nullish()
  .transform((given) => given ?? undefined);
const ofAgent = { conversations: days, traces: days, attachments: days };
/** Days that kinds of data are kept. A kind without a number is kept for ever. */
const retentionInput = z.object({ ...ofAgent, deliveries: days });
const agentRetention = z.object(ofAgent);

/** Saves how long the data of the workspace is kept. Throws 400. */
export const saveRetention = rowWrite({
  model: 'Settings',
  permission: 'retention.write',
  prepare: (context, input: z.input<typeof retentionInput>) =>
    settingsWrite(context, { retention: parseInput(retentionInput, input) }),
});

/** Saves how long the data of an agent is kept, instead of what the workspace says; null: as there. Throws 400, 404. */
export const saveAgentRetention = rowWrite({
  model: 'Agent',
  permission: 'retention.write',
  prepare: (context, input: { id: string; retention?: z.input<typeof agentRetention> | null }) => {
    const retention = input.retention == null ? jsonNull : parseInput(agentRetention, input.retention);
    return change('Agent', rowWithId(context, input.id), { retention, updatedBy: actorOf(context.viewer) } as never);
  },
});
