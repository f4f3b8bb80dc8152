import { currentActor } from '../deadline.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { newId } from '../ids.ts';

type Database = Pick<Prisma.TransactionClient, 'auditEntry'>;

/** What is neither a row's creation, nor its change or deletion. The triggers record those. */
export type Event = {
  action: 'exported' | 'erased' | 'token_issued';
  type: string;
  rowId: string;
  fields?: string[];
  changes?: object;
};

/** Records what the current actor did in a workspace. */
export async function recordEntry(database: Database, workspaceId: string, event: Event): Promise<void> {
  const actor = currentActor();
  await database.auditEntry.create({
    data: {
      ...event,
      id: newId('auditEntry'),
      workspaceId,
      actorKind: actor?.kind ?? 'system',
      actorId: actor?.id ?? null,
      address: actor?.address ?? null,
      onBehalfOfId: actor?.onBehalfOfId ?? null,
    },
  });
}

/** Records that a token with this role was issued for a member. */
export const recordToken = (database: Database, workspaceId: string, member: { id: string; role: string }) =>
  recordEntry(database, workspaceId, {
    action: 'token_issued',
    type: 'Membership',
    rowId: member.id,
    fields: ['role'],
    changes: { role: { after: member.role } },
  });
