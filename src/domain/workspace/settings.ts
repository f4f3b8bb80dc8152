import { z } from 'zod';
import type { Context } from '../../context.ts';
import { permit } from '../../core/permissions.ts';
import { afterCommit, type Transaction } from '../../database/client.ts';
import type { MergeRule, Settings } from '../../database/generated/prisma/client.ts';
import { parseInput } from '../shared/input.ts';

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
export async function saveSettings(context: Context, input: z.input<typeof settingsInput>): Promise<Settings> {
  permit(context, 'settings.write');
  const update = parseInput(settingsInput, input);
  const { database, viewer } = context;
  const where = { workspaceId: viewer.workspaceId };
  return database.settings.upsert({ where, create: { ...where, ...update }, update });
}

/** A look at the settings and `saveBudgets` cost less together, with all fields: with less, no owner could undo a budget. */
export const undoingCost = 25;

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
  costPerMinute: atLeast(undoingCost),
  tokenRequestsPerMinute: atLeast(1),
  tokenCostPerMinute: atLeast(undoingCost),
});

/** Saves the rate limits of the workspace. They apply on other replicas within 5 seconds. Throws 400 and 403. */
export async function saveBudgets(context: Context, input: z.input<typeof budgetsInput>): Promise<Settings> {
  permit(context, 'owners.write');
  const update = parseInput(budgetsInput, input);
  const { database, viewer, tokens } = context;
  const where = { workspaceId: viewer.workspaceId };
  const saved = await database.settings.upsert({ where, create: { ...where, ...update }, update });
  await afterCommit(database, tokens.forget);
  return saved;
}

/** What to do with a new lead that matches an existing one. The calling operation has checked its own permission. */
export async function mergeRuleOf(database: Pick<Transaction, 'settings'>, workspaceId: string): Promise<MergeRule> {
  const settings = await database.settings.findUnique({ where: { workspaceId }, select: { merge: true } });
  return settings?.merge ?? 'never';
}
