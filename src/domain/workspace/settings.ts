import { z } from 'zod';
import type { Context } from '../../context.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import type { Transaction } from '../../database/client.ts';
import type { MergeRule, Prisma, Settings } from '../../database/generated/prisma/client.ts';
import { jsonNull } from '../../database/json.ts';
import { change, insertionOrChange } from '../../database/query/write.ts';
import { parseInput } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';

export const settingsInput = z.object({ merge: z.enum(['never', 'email', 'phone', 'any']) });

/** Returns the settings of the workspace, which are created on first use. */
export async function readSettings(context: Context): Promise<Settings> {
  permit(context, 'settings.read');
  const { database, viewer } = context;
  const where = { workspaceId: viewer.workspaceId };
  const found = await database.settings.findUnique({ where });
  if (found) return found;
  // Not an upsert: Prisma would run two statements, and fail if a concurrent reader inserts in between.
  await database.settings.createMany({ data: [where], skipDuplicates: true });
  return database.settings.findUniqueOrThrow({ where });
}

/** Saves the settings of the workspace. Throws 400. */
export const saveSettings = rowWrite({
  model: 'Settings',
  permission: 'settings.write',
  prepare: (context, input: z.input<typeof settingsInput>) => settingsWrite(context, parseInput(settingsInput, input)),
});

/** The write of some settings, which a workspace has no row of until they are first used. */
const settingsWrite = ({ viewer: { workspaceId } }: Context, update: Prisma.SettingsUpdateManyMutationInput) =>
  insertionOrChange(
    'Settings',
    { ...(update as Prisma.SettingsUncheckedCreateInput), workspaceId },
    { key: ['workspaceId'], update },
  );

/**
 * A look at the settings and `saveBudgets` cost less together, with all fields: with less, no owner could undo a
 * budget.
 */
export const minCostPerMinute = 25;

const atLeast = (min: number) =>
  z
    .int32('must be a whole number')
    .min(
      min,
      `must be ${min} or more: with less, saveBudgets itself would be refused, and only the operator could undo it`,
    )
    .nullish()
    .transform((given) => given ?? null);
const budgetsInput = z.object({
  requestsPerMinute: atLeast(1),
  costPerMinute: atLeast(minCostPerMinute),
  tokenRequestsPerMinute: atLeast(1),
  tokenCostPerMinute: atLeast(minCostPerMinute),
});

/** Saves the rate limits of the workspace. They apply on other replicas within 5 seconds. Throws 400 and 403. */
export const saveBudgets = rowWrite({
  model: 'Settings',
  permission: 'owners.write',
  prepare: (context, input: z.input<typeof budgetsInput>) => settingsWrite(context, parseInput(budgetsInput, input)),
  after: ({ tokens }) => tokens.forget(),
});

/** What to do with a new lead that matches an existing one. The calling operation has checked its own permission. */
export async function mergeRuleOf(database: Pick<Transaction, 'settings'>, workspaceId: string): Promise<MergeRule> {
  const settings = await database.settings.findUnique({ where: { workspaceId }, select: { merge: true } });
  return settings?.merge ?? 'never';
}

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
