import { z } from 'zod';
import type { Context } from '../../context.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import type { Settings } from '../../database/generated/prisma/client.ts';
import { jsonNull } from '../../database/json.ts';
import { change } from '../../database/query/write.ts';
import { parseInput } from '../shared/input.ts';
import { rowWithId, writing } from '../shared/mutations.ts';

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
export async function saveRetention(context: Context, input: z.input<typeof retentionInput>): Promise<Settings> {
  permit(context, 'retention.write');
  const retention = parseInput(retentionInput, input);
  const { database, viewer } = context;
  const where = { workspaceId: viewer.workspaceId };
  return database.settings.upsert({ where, create: { ...where, retention }, update: { retention } });
}

/** Saves how long the data of an agent is kept, instead of what the workspace says; null: as there. Throws 400, 404. */
export const saveAgentRetention = writing({
  model: 'Agent',
  permission: 'retention.write',
  prepare: (context, input: { id: string; retention?: z.input<typeof agentRetention> | null }) => {
    const retention = input.retention == null ? jsonNull : parseInput(agentRetention, input.retention);
    return change('Agent', rowWithId(context, input.id), { retention, updatedBy: actorOf(context.viewer) } as never);
  },
});
