import type { Context } from '../../context.ts';
import { currentActor } from '../../database/deadline.ts';
import { newId } from '../../database/ids.ts';

/** What is neither a row's creation, nor its change or deletion. The triggers record those. */
type Event = {
  action: 'exported' | 'erased' | 'token_issued';
  type: string;
  rowId: string;
  fields?: string[];
  changes?: object;
};

/** Records what the viewer did, in the transaction of `context.database` if there is one. */
export async function recordEvent({ database, viewer }: Context, event: Event): Promise<void> {
  const actor = currentActor();
  await database.auditEntry.create({
    data: {
      ...event,
      id: newId('auditEntry'),
      workspaceId: viewer.workspaceId,
      actorKind: actor?.kind ?? 'system',
      actorId: actor?.id ?? null,
      address: actor?.address ?? null,
      onBehalfOfId: actor?.onBehalfOfId ?? null,
    },
  });
}
