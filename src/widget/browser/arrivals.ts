import type { Memory } from './memory.ts';
import type { Announce } from './page-events.ts';
import { playSound } from './sound.ts';
import type { Store } from './state.ts';
import type { Message } from './types.ts';

/** Counts what the visitor has not seen, and reports messages that arrive. */
export function createArrivals(store: Store, memory: Memory, announce: Announce) {
  /** Marks everything as seen while the visitor looks at the conversation, and counts the rest. */
  function count(): void {
    const { open, history, messages, unread } = store.get();
    const last = messages.findLast(({ pending }) => !pending)?.createdAt ?? '';
    const { seen } = memory.read();
    const isLooking = open && !history && !document.hidden;
    if ((isLooking || seen === undefined) && last !== seen) memory.write({ seen: last });
    const after = memory.read().seen ?? '';
    const now = messages.filter(({ role, createdAt }) => role === 'assistant' && createdAt > after).length;
    if (now !== unread) store.set({ unread: now });
  }
  document.addEventListener('visibilitychange', count);

  return {
    count,
    /** Reports those of the messages that were not shown before. */
    report(before: Message[], after: Message[]): void {
      const known = new Set(before.map(({ id }) => id));
      const arrived = after.filter(({ id, role }) => role === 'assistant' && !known.has(id));
      for (const { id } of arrived) {
        announce('parley:message', { role: 'assistant', id });
        announce('parley:reply', { id });
      }
      if (arrived.length > 0 && store.get().sound) playSound();
      count();
    },
  };
}
