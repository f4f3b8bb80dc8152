import type { Context } from '../../context.ts';
import { type Event, recordEntry } from '../../database/audit/record.ts';

/** Records what the viewer did, in the transaction of `context.database` if there is one. */
export const recordEvent = ({ database, viewer }: Context, event: Event): Promise<void> =>
  recordEntry(database, viewer.workspaceId, event);
