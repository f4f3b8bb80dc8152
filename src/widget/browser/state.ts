import type { Conversation, ConversationSummary, Face, FormField, Message, Standing, Upload } from './types.ts';

/** A status message that is shown with the conversation. */
export type Notice = 'off' | 'limited' | 'failed' | 'offline' | 'reconnecting' | null;

/** Everything that the components show. */
export type State = Standing & {
  face: Face;
  open: boolean;
  /** The visitor opened it, rather than an earlier page. */
  openedByVisitor: boolean;
  /** The control of the page that opened it, to which the focus returns; null for the launcher. */
  opener: HTMLElement | null;
  /** The page shows no launcher: it opens the widget by a control of its own. */
  hidden: boolean;
  /** What is being written. */
  draft: string;
  conversationId: string | null;
  messages: Message[];
  /** The answer so far; null if none is being written. */
  answer: { id: string; content: string } | null;
  notice: Notice;
  /** What the visitor is asked before the first message. */
  form: FormField[];
  /** What the widget said of its own accord, before the first message. */
  greeting: string | null;
  /** Whether that is shown beside the launcher. */
  teaser: boolean;
  /** The files of the message that is being written. */
  uploads: Upload[];
  /** The list of earlier conversations; null while the conversation is shown. */
  history: History | null;
  /** How many messages arrived while the widget was closed. */
  unread: number;
  /** Whether a sound is played when a message arrives. */
  sound: boolean;
};
type History = { state: 'loading' | 'failed' } | { state: 'loaded'; conversations: ConversationSummary[] };
export type Store = ReturnType<typeof createStore>;

/** The standing of a conversation; of none, that of a new one. */
export const standingOf = (conversation: Conversation | null): Standing => ({
  status: conversation?.status ?? 'active',
  person: conversation?.person ?? false,
  satisfaction: conversation?.satisfaction ?? null,
  asksSatisfaction: conversation?.asksSatisfaction ?? false,
});

export function createStore(first: State, changed: (state: State) => void) {
  let state = first;
  const set = (changes: Partial<State>): void => {
    state = { ...state, ...changes };
    changed(state);
  };
  return {
    get: (): State => state,
    set,
    /** Adds messages to the end, in place of earlier ones with the same ids. */
    add(...more: Message[]): void {
      const ids = new Set(more.map(({ id }) => id));
      set({ messages: [...state.messages.filter(({ id }) => !ids.has(id)), ...more] });
    },
  };
}
