import type { Question } from './types.ts';

/** What this browser remembers between pages. `asking`: the question that is still waiting for its answer. */
type Kept = {
  secret?: string | null;
  /** The id of the site's user who was here last. */
  user?: string | null;
  open?: boolean;
  /** The visitor left the conversation: the next message starts a new one. */
  fresh?: boolean;
  /** The conversation that was shown last. */
  conversationId?: string;
  asking?: Question | null;
  /** The time of the last message that the visitor has seen. */
  seen?: string;
  sound?: boolean;
  /** The answers to the form, until the first message is answered. */
  answers?: object | null;
  /** The widget has said something of its own accord. */
  greeted?: boolean;
};
export type Memory = { read(): Kept; write(changes: Kept): void };

/** Keeps the state in the page's local storage or, if that is blocked, only until the page is closed. */
export function createMemory(channel: string): Memory {
  const name = `parley:${channel}`;
  let kept: Kept = {};
  try {
    kept = JSON.parse(localStorage.getItem(name) ?? '{}') as Kept;
  } catch {
    // Unreadable, or no storage: start with nothing.
  }
  return {
    read: () => kept,
    write(changes) {
      kept = { ...kept, ...changes };
      try {
        localStorage.setItem(name, JSON.stringify(kept));
      } catch {
        // Full or blocked.
      }
    },
  };
}
