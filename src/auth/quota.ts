import { z } from 'zod';
import { invalid } from '../core/errors.ts';
import type { Database } from '../database/client.ts';
import { actingAs } from '../database/deadline.ts';
import { orNotFound } from '../database/query/found.ts';
import type { Tokens } from './tokens.ts';

const quotaInput = z.strictObject({
  workspaceId: z.string().min(1),
  max: z.int32('must be a whole number').min(0, 'must be 0 or more').nullish(),
  resetBudgets: z.literal(true).optional(),
});

const noBudgets = {
  requestsPerMinute: null,
  costPerMinute: null,
  tokenRequestsPerMinute: null,
  tokenCostPerMinute: null,
};

/** Without `tokens`, gateways that run apply a reset of the budgets within 5 seconds. */
type Services = { database: Database; tokens?: Pick<Tokens, 'forget'> };

/**
 * Sets how many interactions a workspace may use per month, which it returns; null: as many as its subscription
 * includes. `resetBudgets` removes the budgets that its owner has set. For the machine's operator: permissions are not
 * checked, and no bearer can reach this. Throws 400 and 404.
 */
export async function setQuota({ database, tokens }: Services, request: unknown): Promise<number | null> {
  const parsed = quotaInput.safeParse(request);
  if (!parsed.success) throw invalid(parsed.error.issues.map((issue) => [...issue.path, issue.message].join(': ')));
  const { workspaceId, max, resetBudgets } = parsed.data;
  const where = { id: workspaceId };
  const data = max === undefined ? {} : { maxInteractions: max };
  // Prisma sends a query when its result is awaited.
  const changed = await actingAs({ kind: 'operator', id: null, address: null }, async () => {
    const found = await orNotFound(
      'Workspace',
      database.workspace.update({ where, data, select: { maxInteractions: true } }),
    );
    if (resetBudgets) await database.settings.updateMany({ where: { workspaceId }, data: noBudgets });
    return found;
  });
  if (resetBudgets) await tokens?.forget();
  return changed.maxInteractions;
}
