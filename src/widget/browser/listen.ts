import type { Api } from './api.ts';
import type { Store } from './state.ts';
import type { Message } from './types.ts';

/** How often to check whether a conversation should be followed, in milliseconds. */
const checkMs = 4_000;
/** How often to reload a conversation that waits for a person: it may be handed back without a message. */
const reloadWaitingMs = 16_000;
/** How often to reload one that the agent answers: a person may take it over. */
const reloadMs = 30_000;

type Actions = { reload: () => Promise<void>; arrive: (message: Message) => void };

/**
 * Follows the conversation while the page is visible: by a stream if it waits for a person, whose messages are shown at
 * once, and otherwise by reloading it now and then while the widget is open.
 */
export function followConversation(api: Api, store: Store, { reload, arrive }: Actions): void {
  let listening: AbortController | null = null;
  let listenedTo = '';
  let reloadedAt = Date.now();

  async function listen(id: string): Promise<void> {
    const leaving = new AbortController();
    listening = leaving;
    listenedTo = id;
    try {
      for await (const message of api.replies(id, leaving.signal)) {
        if (store.get().conversationId === id) arrive(message);
      }
    } finally {
      if (listening === leaving) listening = null;
    }
  }

  setInterval(() => {
    const { open, status, conversationId: id } = store.get();
    const isWaiting = status === 'waiting_human';
    const stops = !id || document.hidden || !isWaiting || listenedTo !== id;
    if (stops) listening?.abort();
    if (!id || document.hidden || !(isWaiting || open)) return;
    const isDue = Date.now() - reloadedAt >= (isWaiting ? reloadWaitingMs : reloadMs);
    const starts = isWaiting && (!listening || listening.signal.aborted);
    if (isDue || starts) {
      reloadedAt = Date.now();
      reload().catch(() => {});
    }
    // An ended stream is opened again.
    if (starts) listen(id).catch(() => {});
  }, checkMs);
}
