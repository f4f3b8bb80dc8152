import type { Services } from '../../context.ts';
import { createPoller } from '../shared/poller.ts';
import type { ConversationKey, MessageWatch, NewMessage } from './types.ts';

/** Polling interval in milliseconds, for all listeners of this process. */
const pollIntervalMs = 250;

/**
 * A listener and the last mark that it saw. A new mark means a new message; null, that the conversation was deleted.
 */
type Listener = ConversationKey & { mark: string; wake(mark: string | null): void };

/** One query serves all listeners of this process; without listeners there is none. */
export function createMessageWatch({ database, log }: Pick<Services, 'database' | 'log'>): MessageWatch {
  const closing = new AbortController();

  const poll = async (listeners: Listener[]): Promise<void> => {
    const workspaces = listeners.map(({ workspaceId }) => workspaceId);
    const conversations = listeners.map(({ conversationId }) => conversationId);
    const rows = await database.$queryRaw<{ index: bigint; mark: string }[]>`
      SELECT k."index", (
        SELECT concat(m."position", ' ', m."id") FROM "Message" m
        WHERE m."workspaceId" = c."workspaceId" AND m."conversationId" = c."id" ORDER BY m."position" DESC LIMIT 1
      ) AS "mark"
      FROM unnest(${workspaces}::text[], ${conversations}::text[]) WITH ORDINALITY AS k("workspaceId", "id", "index")
      JOIN "Conversation" c ON c."workspaceId" = k."workspaceId" AND c."id" = k."id"`;
    const marks = new Map(rows.map(({ index, mark }) => [Number(index) - 1, mark ?? '']));
    for (const [index, listener] of listeners.entries()) {
      const mark = marks.get(index) ?? null;
      if (mark !== listener.mark) listener.wake(mark);
    }
  };
  const poller = createPoller({ intervalMs: pollIntervalMs, eager: true, poll, log });

  /** Resolves to the next mark of a conversation; null if it was deleted or `signal` aborts. */
  const waitForChange = (key: ConversationKey, mark: string, signal: AbortSignal): Promise<string | null> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve(null);
      const wake = (next: string | null) => {
        poller.remove(listener);
        signal.removeEventListener('abort', stopWaiting);
        resolve(next);
      };
      const stopWaiting = () => wake(null);
      const listener = { ...key, mark, wake };
      signal.addEventListener('abort', stopWaiting, { once: true });
      poller.add(listener);
    });

  /** The messages after the user's last message at or before a position: regenerating may have replaced these. */
  const readTail = ({ workspaceId, conversationId }: ConversationKey, position: number): Promise<NewMessage[]> =>
    database.$queryRaw<NewMessage[]>`
      SELECT m."id", m."position" FROM "Message" m
      WHERE m."workspaceId" = ${workspaceId} AND m."conversationId" = ${conversationId} AND m."position" > coalesce((
        SELECT max(u."position") FROM "Message" u WHERE u."workspaceId" = ${workspaceId}
          AND u."conversationId" = ${conversationId} AND u."role" = 'user' AND u."position" <= ${position}), -1)
      ORDER BY m."position"`;

  async function beforeLast(where: ConversationKey): Promise<number> {
    const { _max } = await database.message.aggregate({ where, _max: { position: true } });
    return (_max.position ?? 0) - 1;
  }

  return {
    async *follow(key, after, callerSignal) {
      const signal = AbortSignal.any([callerSignal, closing.signal]);
      const start = after ?? (await beforeLast(key));
      let position = start;
      let seenIds: Set<string> | null = null;
      for (let mark: string | null = ''; mark !== null; mark = await waitForChange(key, mark, signal)) {
        const tail = await readTail(key, position);
        const before: Set<string> = seenIds ?? idsOf(tail.filter(({ position }) => position <= start));
        for (const message of tail) if (!before.has(message.id)) yield message;
        seenIds = idsOf(tail);
        position = tail.at(-1)?.position ?? position;
      }
    },
    close: () => closing.abort(),
  };
}

const idsOf = (messages: NewMessage[]): Set<string> => new Set(messages.map(({ id }) => id));
