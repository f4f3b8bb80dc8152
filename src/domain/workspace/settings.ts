import { z } from 'zod';
import type { Context } from '../../context.ts';
import { permit } from '../../core/permissions.ts';
import { afterCommit, type Transaction } from '../../database/client.ts';
import type { MergeRule, Settings } from '../../database/generated/prisma/client.ts';
import { parseInput } from '../shared/input.ts';

export const settingsInput = z.object({ merge: z.enum(['never', 'email', 'phone', 'any']) });

/** The settings of the workspace. Those of a workspace that never saved any are made now. */
export async function readSettings(context: Context): Promise<Settings> {
  permit(context, 'settings.read');
  const { database, viewer } = context;
  const where = { workspaceId: viewer.workspaceId };
  const found = await database.settings.findUnique({ where });
  if (found) return found;
  // Not an upsert: one that changes nothing is two statements, and fails when another reader comes between them.
  await database.settings.createMany({ data: [where], skipDuplicates: true });
  return database.settings.findUniqueOrThrow({ where });
}

/** Saves the settings of the workspace. */
export async function saveSettings(context: Context, input: z.input<typeof settingsInput>): Promise<Settings> {
  permit(context, 'settings.write');
  const update = parseInput(settingsInput, input);
  const { database, viewer } = context;
  const where = { workspaceId: viewer.workspaceId };
  return database.settings.upsert({ where, create: { ...where, ...update }, update });
}

const limit = z
  .int32('must be a whole number')
  .min(1, 'must be 1 or more')
  .nullish()
  .transform((given) => given ?? null);
export const budgetsInput = z.object({
  requestsPerMinute: limit,
  costPerMinute: limit,
  tokenRequestsPerMinute: limit,
  tokenCostPerMinute: limit,
});

/** Saves what may be used in a minute; within 5 seconds it is so on other replicas. */
export async function saveBudgets(context: Context, input: z.input<typeof budgetsInput>): Promise<Settings> {
  permit(context, 'owners.write');
  const update = parseInput(budgetsInput, input);
  const { database, viewer, tokens } = context;
  const where = { workspaceId: viewer.workspaceId };
  const saved = await database.settings.upsert({ where, create: { ...where, ...update }, update });
  await afterCommit(database, tokens.forget);
  return saved;
}

/** What to do when a new lead matches an old one, inside an operation that has its own permission. */
export async function mergeRuleOf(database: Pick<Transaction, 'settings'>, workspaceId: string): Promise<MergeRule> {
  const settings = await database.settings.findUnique({ where: { workspaceId }, select: { merge: true } });
  return settings?.merge ?? 'never';
}
