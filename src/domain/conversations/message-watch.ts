import type { Services } from '../../context.ts';
import { createPoller } from '../shared/poller.ts';
import type { ConversationKey, MessageWatch, NewMessage } from './types.ts';

/** Polling interval in milliseconds, for all listeners of this process. */
const lookMs = 250;

/**
 * A listener and the last mark that it saw. A new mark means a new message; null, that the conversation was deleted.
 */
type Listener = ConversationKey & { mark: string; wake(mark: string | null): void };

/** One query serves all listeners of this process; without listeners there is none. */
export function createMessageWatch({ database, log }: Pick<Services, 'database' | 'log'>): MessageWatch {
  const closing = new AbortController();

  const look = async (listeners: Listener[]): Promise<void> => {
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
  const rounds = createPoller({ everyMs: lookMs, eager: true, look, log });

  /** Resolves to the next mark of a conversation; null if it was deleted or `signal` aborts. */
  const change = (key: ConversationKey, mark: string, signal: AbortSignal): Promise<string | null> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve(null);
      const wake = (next: string | null) => {
        rounds.remove(listener);
        signal.removeEventListener('abort', leave);
        resolve(next);
      };
      const leave = () => wake(null);
      const listener = { ...key, mark, wake };
      signal.addEventListener('abort', leave, { once: true });
      rounds.add(listener);
    });

  /** The messages after the user's last message at or before a position: regenerating may have replaced these. */
  const readTail = ({ workspaceId, conversationId }: ConversationKey, place: number): Promise<NewMessage[]> =>
    database.$queryRaw<NewMessage[]>`
      SELECT m."id", m."position" FROM "Message" m
      WHERE m."workspaceId" = ${workspaceId} AND m."conversationId" = ${conversationId} AND m."position" > coalesce((
        SELECT max(u."position") FROM "Message" u WHERE u."workspaceId" = m."workspaceId"
          AND u."conversationId" = m."conversationId" AND u."role" = 'user' AND u."position" <= ${place}), -1)
      ORDER BY m."position"`;

  async function beforeLast(where: ConversationKey): Promise<number> {
    const { _max } = await database.message.aggregate({ where, _max: { position: true } });
    return (_max.position ?? 0) - 1;
  }

  return {
    async *follow(key, after, given) {
      const signal = AbortSignal.any([given, closing.signal]);
      const start = after ?? (await beforeLast(key));
      let place = start;
      let known: Set<string> | null = null;
      for (let mark: string | null = ''; mark !== null; mark = await change(key, mark, signal)) {
        const tail = await readTail(key, place);
        const before: Set<string> = known ?? idsOf(tail.filter(({ position }) => position <= start));
        for (const message of tail) if (!before.has(message.id)) yield message;
        known = idsOf(tail);
        place = tail.at(-1)?.position ?? place;
      }
    },
    close: () => closing.abort(),
  };
}

const idsOf = (messages: NewMessage[]): Set<string> => new Set(messages.map(({ id }) => id));
