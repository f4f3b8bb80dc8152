import type { Api, Failure } from './api.ts';
import type { Memory } from './memory.ts';
import { withPending } from './pending.ts';
import type { Face, Message, Part, Question } from './types.ts';

/** A status message that is shown with the conversation. */
export type Notice = 'off' | 'limited' | 'failed' | 'offline' | 'reconnecting' | null;
export type State = {
  face: Face;
  open: boolean;
  conversationId: string | null;
  status: string;
  messages: Message[];
  /** The answer so far; null if none is being written. */
  answer: { id: string; content: string } | null;
  notice: Notice;
};
export type Chat = ReturnType<typeof createChat>;

/** How often to check that a conversation waiting for a person has an open stream, in milliseconds. */
const listenMs = 4_000;
/** How often to reload such a conversation, in milliseconds: it may be handed back to the agent without a message. */
const lookMs = 16_000;

/** The conversation of this browser's visitor: its state and its actions. */
export function createChat(api: Api, memory: Memory, first: State, changed: (state: State) => void) {
  let state = first;
  /** The text of the current attempt to answer. */
  let written = '';
  const set = (changes: Partial<State>): void => {
    state = { ...state, ...changes };
    changed(state);
  };
  const add = (...more: Message[]): void => {
    const ids = new Set(more.map(({ id }) => id));
    set({ messages: [...state.messages.filter(({ id }) => !ids.has(id)), ...more] });
  };

  function hear(key: string, part: Part): void {
    if (state.notice === 'reconnecting') set({ notice: null });
    if (part.type === 'start') {
      written = '';
      // The text of an earlier attempt is shown until this one has some.
      const answer = { id: part.messageId, content: state.answer?.content ?? '' };
      set({ answer, conversationId: part.messageMetadata.conversationId });
    }
    if (part.type === 'text-delta' && state.answer) {
      written += part.delta;
      set({ answer: { ...state.answer, content: written } });
    }
    if (part.type === 'data-turn') {
      const messages = state.messages.map((message) => (message.id === key ? { ...message, pending: false } : message));
      set({ answer: null, status: part.data.status, conversationId: part.data.id, messages });
      add(...part.data.messages);
    }
  }

  async function answer(question: Question): Promise<void> {
    memory.write({ asking: question, fresh: false });
    set({ notice: null, answer: { id: '', content: '' } });
    try {
      const pausing = () => set({ notice: 'reconnecting' });
      await api.ask(question, (part) => hear(question.key, part), pausing);
      memory.write({ asking: null });
    } catch (error) {
      const { code = 'failed' } = error as Partial<Failure>;
      const notice = noticeOf(code);
      if (notice === 'off') memory.write({ asking: null });
      set({ answer: null, notice });
      await look().catch(() => {});
    }
  }

  /** Reloads the conversation, keeping messages that have not reached the gateway yet. */
  async function look(): Promise<void> {
    const conversation = await api.conversation();
    if (!conversation || state.answer || memory.read().fresh) return;
    if (state.conversationId && state.conversationId !== conversation.id) return;
    const { id, status, messages } = conversation;
    set({ conversationId: id, status, messages: withPending(messages, state.messages) });
  }
  const show = ({ key, body: { content } }: Question): void =>
    add({ id: key, role: 'user', content, references: [], rating: null, stopped: false, cutOff: false, pending: true });

  let listening: AbortController | null = null;
  /** Shows a person's messages as they arrive. An ended stream is reopened on the next tick. */
  async function listen(id: string): Promise<void> {
    const leaving = new AbortController();
    listening = leaving;
    try {
      for await (const message of api.replies(id, leaving.signal)) {
        if (state.conversationId === id) add(message);
      }
    } finally {
      listening = null;
    }
  }
  let lookedAt = 0;
  setInterval(() => {
    const { open, status, conversationId } = state;
    if (!open || !conversationId || status !== 'waiting_human' || document.hidden) return listening?.abort();
    if (listening && Date.now() - lookedAt < lookMs) return;
    lookedAt = Date.now();
    look().catch(() => {});
    if (!listening) listen(conversationId).catch(() => {});
  }, listenMs);

  function retry(): void {
    const { asking } = memory.read();
    if (asking && !state.answer) void answer(asking);
  }
  addEventListener('online', () => state.notice === 'offline' && retry());

  return {
    /** Resumes the answer that was in progress when the page was left. */
    resume(): void {
      const { asking } = memory.read();
      if (!asking) return;
      if (state.messages.findLast(({ role }) => role === 'user')?.content !== asking.body.content) {
        show(asking);
      }
      void answer(asking);
    },
    say(content: string): void {
      if (!content.trim() || state.answer) return;
      const body = { conversationId: state.conversationId, content, utm: utmOf(location.search) };
      const question = { key: crypto.randomUUID(), body };
      show(question);
      void answer(question);
    },
    retry,
    stop(): void {
      if (state.conversationId) void api.stop(state.conversationId).catch(() => {});
    },
    rate({ id, rating: old }: Message, given: 'like' | 'dislike'): void {
      const rating = old === given ? null : given;
      set({ messages: state.messages.map((message) => (message.id === id ? { ...message, rating } : message)) });
      void api.rate(id, rating).catch(() => {});
    },
    /** Leaves this conversation: the next message starts a new one. */
    leave(): void {
      memory.write({ asking: null, fresh: true });
      set({ conversationId: null, status: 'active', messages: [], notice: null });
    },
    toggle(open: boolean): void {
      memory.write({ open });
      set({ open });
    },
  };
}

function noticeOf(code: string): Notice {
  if (code === 'network') return 'offline';
  if (code === 'rate_limited') return 'limited';
  return code === 'usage_limit_exceeded' || code === 'subscription_inactive' ? 'off' : 'failed';
}

/** The UTM parameters of the page's URL. */
function utmOf(search: string): Record<string, string> | undefined {
  const given = new URLSearchParams(search);
  const known = ['source', 'medium', 'campaign', 'content', 'term'].flatMap((name) => {
    const value = given.get(`utm_${name}`)?.slice(0, 500);
    return value ? [[name, value]] : [];
  });
  return known.length > 0 ? (Object.fromEntries(known) as Record<string, string>) : undefined;
}
