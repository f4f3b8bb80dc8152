import { hash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { inKeyOrder } from '../../core/json.ts';
import type { Prisma, Turn } from '../../database/generated/prisma/client.ts';
import type { JsonValue } from '../../model/types.ts';
import type { CallResult } from '../../plugins/call-operation.ts';
import type { Operation } from '../../plugins/types.ts';

/** Makes a call that may change something, unless an earlier attempt at the turn has made it. */
export type RunOnce = (
  pluginId: string,
  operation: Operation,
  args: Record<string, JsonValue>,
  make: () => Promise<CallResult>,
) => Promise<CallResult>;

/** With these statuses it is unknown whether the API carried out the request. */
const unclear = [500, 502, 504];

/**
 * The calls of one attempt at a turn. Each is recorded before it is made, so that a retry gets the result of the
 * earlier attempt, or learns that it is unknown. A call that changed nothing may be made again.
 */
export function createRunOnce({ database, log }: Context, { workspaceId, conversationId, inputTo }: Turn): RunOnce {
  const occurrences = new Map<string, number>();
  return async (pluginId, { method, url }, args, make) => {
    // A model may write equal arguments in another order.
    const callHash = hash('sha256', JSON.stringify([pluginId, method, url, args], inKeyOrder));
    const occurrence = (occurrences.get(callHash) ?? 0) + 1;
    occurrences.set(callHash, occurrence);
    const key = { workspaceId, conversationId, position: inputTo, callHash, occurrence };
    const where = { workspaceId_conversationId_position_callHash_occurrence: key };
    const inserted = await database.pluginCall.createMany({ data: [key], skipDuplicates: true });
    if (inserted.count === 0) {
      const earlier = await database.pluginCall.findUnique({ where });
      return (earlier?.result as CallResult | null) ?? unknown;
    }
    const result = await make();
    try {
      if (mayHaveChanged(result)) {
        const storedResult = result as unknown as Prisma.InputJsonObject;
        await database.pluginCall.update({ where, data: { result: storedResult }, select: { position: true } });
      } else await database.pluginCall.delete({ where });
    } catch (error) {
      // The call will not be repeated; a retry just sees its result as unknown.
      log.error({ err: error, pluginId }, 'the result of a plugin call could not be stored');
    }
    return result;
  };
}

const mayHaveChanged = ({ sent, status }: CallResult): boolean =>
  sent && (status === null || status < 400 || unclear.includes(status));

const unknown: CallResult = {
  failed: true,
  sent: false,
  status: null,
  text: 'An earlier attempt made this call and was interrupted. Whether the call succeeded is not known; it was not repeated.',
};
