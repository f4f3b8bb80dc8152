import { z } from 'zod';
import { invalid } from '../core/errors.ts';
import type { Database } from '../database/client.ts';
import { actingAs } from '../database/deadline.ts';
import { orNotFound } from '../database/query/found.ts';

const quotaInput = z.strictObject({
  workspaceId: z.string().min(1),
  max: z.int32('must be a whole number').min(0, 'must be 0 or more').nullable(),
});

/**
 * Sets how many interactions a workspace may use per month; null: as many as its subscription includes. For the
 * machine's operator: permissions are not checked, and no bearer can reach this. Throws 400 and 404.
 */
export async function setQuota({ database }: { database: Database }, request: unknown): Promise<number | null> {
  const parsed = quotaInput.safeParse(request);
  if (!parsed.success) throw invalid(parsed.error.issues.map((issue) => [...issue.path, issue.message].join(': ')));
  const { workspaceId, max } = parsed.data;
  const data = { maxInteractions: max };
  const where = { id: workspaceId };
  // Prisma sends a query when its result is awaited.
  const changed = await actingAs({ kind: 'operator', id: null, address: null }, async () =>
    orNotFound('Workspace', database.workspace.update({ where, data, select: { maxInteractions: true } })),
  );
  return changed.maxInteractions;
}
