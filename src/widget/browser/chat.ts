import { type Api, Failure } from './api.ts';
import { createArrivals } from './arrivals.ts';
import { type IdentitySource, reportIdentity } from './identity.ts';
import { followConversation } from './listen.ts';
import type { Memory } from './memory.ts';
import type { Announce } from './page-events.ts';
import { withPending } from './pending.ts';
import { playSound } from './sound.ts';
import { createStore, type Notice, type State, standingOf } from './state.ts';
import type { Attachable, Conversation, Message, Part, Question } from './types.ts';
import { createUploads } from './uploads.ts';
import { utmOf } from './utm.ts';

export type Chat = ReturnType<typeof createChat>;
type Parts = { api: Api; memory: Memory; announce: Announce; attachable: Attachable };

/** The conversation of this browser's visitor: its state and its actions. */
export function createChat(
  { api, memory, announce, attachable }: Parts,
  first: State,
  changed: (state: State) => void,
) {
  const store = createStore(first, changed);
  const { set, add } = store;
  const uploads = createUploads(api, store, attachable);
  const arrivals = createArrivals(store, memory, announce);
  /** The text of the current attempt to answer. */
  let written = '';
  /** Aborted when the visitor goes to another conversation while this one is answered: it goes on in the gateway. */
  let leaving = new AbortController();
  let identified = Promise.resolve();

  function receive(key: string, part: Part): void {
    const { notice, answer, messages } = store.get();
    if (notice === 'reconnecting') set({ notice: null });
    if (part.type === 'start') {
      const { conversationId } = part.messageMetadata;
      memory.write({ conversationId, fresh: false });
      written = '';
      // The text of an earlier attempt is shown until this one has some.
      const content = answer?.content ?? '';
      set({ answer: { id: part.messageId, content }, conversationId });
    }
    if (part.type === 'text-delta' && answer) {
      written += part.delta;
      set({ answer: { ...answer, content: written } });
    }
    if (part.type === 'data-turn') {
      const { id, messages: answers } = part.data;
      const asked = messages.map((message) => (message.id === key ? { ...message, pending: false } : message));
      set({ answer: null, ...standingOf(part.data), conversationId: id, messages: asked });
      add(...answers);
      memory.write({ conversationId: id, fresh: false });
      arrivals.report(asked, answers);
    }
  }

  async function answer(question: Question): Promise<void> {
    leaving = new AbortController();
    const { signal } = leaving;
    memory.write({ asking: question });
    set({ notice: null, answer: { id: '', content: '' } });
    try {
      const pausing = () => set({ notice: 'reconnecting' });
      await api.ask(question, { receive: (part) => receive(question.key, part), pausing, signal });
      memory.write({ asking: null, answers: null });
      // Its pictures have an address now, and are shown.
      if (question.files?.length) await reload().catch(() => {});
    } catch (error) {
      if (signal.aborted) return;
      const notice = noticeOf(error);
      // The form may have changed since it was answered: it is shown again.
      if (error instanceof Failure && error.status === 400) memory.write({ answers: null });
      if (notice === 'off') memory.write({ asking: null });
      set({ answer: null, notice });
      await reload().catch(() => {});
    }
  }

  /** Reloads the conversation, keeping messages that have not reached the gateway yet. */
  async function reload(): Promise<void> {
    const { conversationId } = store.get();
    const conversation = await api.conversation(conversationId);
    const now = store.get();
    if (!conversation || now.answer || memory.read().fresh) return;
    if (now.conversationId && now.conversationId !== conversation.id) return;
    const { id, messages } = conversation;
    set({ conversationId: id, ...standingOf(conversation), messages: withPending(messages, now.messages) });
    arrivals.report(now.messages, messages);
  }
  const show = ({ key, body: { content }, files = [] }: Question): void => {
    const attachments = files.map((name) => ({ type: 'file', url: null, name }));
    const createdAt = new Date().toISOString();
    const nothing = { references: [], rating: null, person: false, stopped: false, cutOff: false };
    add({ id: key, role: 'user', content, createdAt, attachments, ...nothing, pending: true });
  };
  /** Shows another conversation, or a new one. What was asked and is not answered yet is not asked again. */
  function enter(conversation: Conversation | null): void {
    leaving.abort();
    const { id = null, messages = [] } = conversation ?? {};
    memory.write({ asking: null, fresh: id === null, ...(id && { conversationId: id }) });
    set({ conversationId: id, ...standingOf(conversation), messages, answer: null, notice: null, history: null });
  }

  async function become(source: IdentitySource): Promise<void> {
    while (store.get().answer) await new Promise((resolve) => setTimeout(resolve, 250));
    const { user } = memory.read();
    const session = await api.identify(source).catch(reportIdentity);
    if (!session) return;
    const { conversationId } = store.get();
    // What this browser showed belongs to the user now, unless it was somebody else's.
    const kept = conversationId && (await api.conversation(conversationId).catch(() => null));
    set({ uploads: [], ...(user && { draft: '' }) });
    enter(kept || session.conversation);
    set({ form: session.form, greeting: null, teaser: false });
    arrivals.count();
  }

  followConversation(api, store, {
    reload,
    arrive(message) {
      const before = store.get().messages;
      if (message.person) set({ person: true });
      add(message);
      arrivals.report(before, [message]);
    },
  });

  function retry(): void {
    const { asking } = memory.read();
    if (asking && !store.get().answer) void answer(asking);
  }
  addEventListener('online', () => store.get().notice === 'offline' && retry());

  return {
    /** Resumes the answer that was in progress when the page was left. */
    resume(): void {
      arrivals.count();
      const { asking } = memory.read();
      if (!asking) return;
      const last = store.get().messages.findLast(({ role }) => role === 'user');
      if (last?.content !== asking.body.content) show(asking);
      void answer(asking);
    },
    say(content: string): void {
      const { answer: writing, conversationId } = store.get();
      const isUploading = store.get().uploads.some(({ fault, handle }) => !fault && !handle);
      if (writing || isUploading) return;
      const files = uploads.take();
      if (!content.trim() && files.length === 0) return;
      const attachments = files.flatMap(({ handle }) => handle ?? []);
      const { answers } = memory.read();
      const { greeting, messages } = store.get();
      const isGreeted = greeting !== null && messages.length === 0;
      if (isGreeted) add(greetingMessage(greeting));
      const question: Question = {
        key: crypto.randomUUID(),
        body: {
          conversationId,
          content,
          ...(attachments.length > 0 && { attachments }),
          utm: utmOf(location.search),
          ...(answers && { lead: answers }),
          ...(isGreeted && { greeting }),
        },
        files: files.map(({ name }) => name),
      };
      show(question);
      announce('parley:message', { role: 'user', id: question.key });
      void answer(question);
    },
    retry,
    uploads,
    base: api.base,
    stop(): void {
      const { conversationId } = store.get();
      if (conversationId) void api.stop(conversationId).catch(() => {});
    },
    /** Rates an answer, or takes the same rating back. */
    rate({ id, rating: old }: Message, given: 'like' | 'dislike'): void {
      const mark = (rating: Message['rating']) =>
        set({ messages: store.get().messages.map((one) => (one.id === id ? { ...one, rating } : one)) });
      const rating = old === given ? null : given;
      mark(rating);
      api.rate(id, rating).catch(() => mark(old));
    },
    /** Says how satisfied the visitor was, and why. Resolves to whether it was stored. */
    async rateConversation(satisfaction: number, comment?: string | null): Promise<boolean> {
      const { conversationId, satisfaction: old } = store.get();
      if (!conversationId) return false;
      set({ satisfaction });
      const isStored = await api.rateConversation(conversationId, satisfaction, comment).then(
        () => true,
        () => false,
      );
      if (!isStored && store.get().conversationId === conversationId) set({ satisfaction: old });
      return isStored;
    },
    /** Leaves this conversation: the next message starts a new one. */
    leave(): void {
      enter(null);
      set({ unread: 0 });
    },
    /** Shows the visitor's earlier conversations, or hides them again. */
    async showHistory(shown: boolean): Promise<void> {
      set({ history: shown ? { state: 'loading' } : null });
      if (!shown) return arrivals.count();
      const conversations = await api.conversations().catch(() => null);
      if (!store.get().history) return;
      set({ history: conversations ? { state: 'loaded', conversations } : { state: 'failed' } });
    },
    /** Goes back to an earlier conversation. */
    async returnTo(id: string): Promise<void> {
      const conversation = await api.conversation(id).catch(() => null);
      if (!conversation) return set({ history: { state: 'failed' } });
      enter(conversation);
      arrivals.count();
    },
    /** Answers the form. Resolves to the field that the gateway refuses, to '' without a connection, or null. */
    async answerForm(answers: object): Promise<string | null> {
      try {
        await api.answerForm(answers);
      } catch (error) {
        return /^lead\.(.+?): /.exec((error as Failure).message)?.[1] ?? '';
      }
      memory.write({ answers });
      set({ form: [], openedByVisitor: true });
      announce('parley:lead', {});
      return null;
    },
    /** Says something of the widget's own accord, beside the launcher; not while the visitor reads or writes. */
    greet(greeting: string): void {
      const { open, messages, hidden } = store.get();
      if (open || hidden || messages.length > 0) return;
      memory.write({ greeted: true });
      set({ greeting, teaser: true });
    },
    dismissGreeting: (): void => set({ greeting: null, teaser: false }),
    setSound(sound: boolean): void {
      memory.write({ sound });
      set({ sound });
      if (sound) playSound();
    },
    state: store.get,
    /**
     * Goes on as a user of the page's site, or as somebody unknown, once nothing is being answered. Calls take effect
     * in their order, so that who has signed out stays so.
     */
    identify(source: IdentitySource): Promise<void> {
      identified = identified.then(() => become(source));
      return identified;
    },
    isOpen: (): boolean => store.get().open,
    setDraft: (draft: string): void => set({ draft }),
    /** Takes the launcher away, and closes the panel; or brings the launcher back. */
    hide(hidden: boolean): void {
      set({ hidden });
      if (hidden) this.toggle(false);
    },
    toggle(open: boolean): void {
      if (open === store.get().open) return;
      memory.write({ open });
      const { activeElement: focused, body } = document;
      const isOfPage = focused instanceof HTMLElement && focused !== body && !focused.dataset.parley;
      set({ open, openedByVisitor: open, ...(open && { opener: isOfPage ? focused : null, teaser: false }) });
      arrivals.count();
      announce(open ? 'parley:open' : 'parley:close', {});
    },
  };
}

const greetingMessage = (content: string): Message => ({
  id: 'greeting',
  role: 'assistant',
  content,
  createdAt: new Date().toISOString(),
  attachments: [],
  references: [],
  rating: null,
  person: false,
  stopped: false,
  cutOff: false,
});

function noticeOf(error: unknown): Notice {
  // Anything else was thrown by reading a stream that broke.
  const code = error instanceof Failure ? error.code : 'network';
  if (code === 'network') return 'offline';
  if (code === 'rate_limited') return 'limited';
  return code === 'usage_limit_exceeded' || code === 'subscription_inactive' ? 'off' : 'failed';
}
