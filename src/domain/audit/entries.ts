import type { Services } from '../../context.ts';
import { deleteExpired } from '../../database/upkeep/batches.ts';
import { listRule } from '../../lists/list.ts';

export const auditList = listRule({
  model: 'AuditEntry',
  permission: 'audit.read',
  orders: { createdAt: { type: 'date' } },
  filters: {
    action: { kind: 'in', column: 'action' },
    actorKind: { kind: 'in', column: 'actorKind' },
    actorId: { kind: 'equals', column: 'actorId', nullable: true },
    onBehalfOfId: { kind: 'equals', column: 'onBehalfOfId', nullable: true },
    type: { kind: 'in', column: 'type' },
    rowId: { kind: 'equals', column: 'rowId' },
    ids: { kind: 'in', column: 'id' },
    createdAt: { kind: 'range', column: 'createdAt' },
  },
  groups: {
    moments: ['createdAt'],
    by: {
      action: { kind: 'value', column: 'action' },
      actorKind: { kind: 'value', column: 'actorKind' },
      type: { kind: 'value', column: 'type' },
    },
    distinct: ['actorId', 'onBehalfOfId', 'rowId'],
  },
});

/** How long entries are kept, in milliseconds: 400 days. */
const retentionMs = 400 * 24 * 3_600_000;

/** Deletes expired entries of the audit log. */
export async function clearAuditEntries({ database, now }: Pick<Services, 'database' | 'now'>): Promise<void> {
  const before = new Date(now().getTime() - retentionMs);
  await deleteExpired(database, 'AuditEntry', before);
}
