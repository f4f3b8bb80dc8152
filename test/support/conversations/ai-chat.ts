import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  DefaultChatTransport,
  getToolName,
  isToolUIPart,
  type UIMessage,
} from 'ai';

type Options = {
  /** The agent's address. */
  api: string;
  headers: Record<string, string>;
  tools?: object[];
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** What survives a reload of the page: the last request. */
  kept: { request?: RequestInit };
};

/** The AI SDK transport of a front end, for the chat of an agent. */
export function transportOf({ api, headers, tools, fetch, kept }: Options): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport<UIMessage>({
    api,
    headers: { ...headers, accept: 'text/event-stream' },
    prepareSendMessagesRequest: ({ headers: given, messages }) => ({
      headers: { ...(given as Record<string, string>), 'idempotency-key': crypto.randomUUID() },
      body: { id: conversationOf(messages), messages: newOf(messages), tools },
    }),
    // To reconnect, send the same request again: its key resumes the turn from the start.
    fetch: ((_url: string, init: RequestInit) => {
      if (init.method === 'POST') kept.request = init;
      return fetch(api, { ...kept.request, signal: init.signal ?? null });
    }) as never,
    prepareReconnectToStreamRequest: () => ({ api }),
  });
}

const conversationOf = (messages: UIMessage[]) =>
  messages.map(({ metadata }) => (metadata as { conversationId?: string })?.conversationId).findLast(Boolean);

/** The visitor's new message, or the results of the last reply's tool calls. */
function newOf(messages: UIMessage[]): object[] {
  const parts = messages.at(-1)?.parts ?? [];
  if (messages.at(-1)?.role === 'user') {
    return [{ content: parts.map((part) => (part.type === 'text' ? part.text : '')).join('') }];
  }
  return parts.flatMap((part) =>
    isToolUIPart(part) && part.state === 'output-available'
      ? [{ role: 'tool', name: getToolName(part), toolCallId: part.toolCallId, content: JSON.stringify(part.output) }]
      : [],
  );
}

class State implements ChatState<UIMessage> {
  status: ChatState<UIMessage>['status'] = 'ready';
  error: Error | undefined = undefined;
  messages: UIMessage[];
  constructor(messages: UIMessage[]) {
    this.messages = messages;
  }
  pushMessage = (message: UIMessage) => {
    this.messages = [...this.messages, message];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, message);
  };
  snapshot = <T>(value: T): T => structuredClone(value);
}

/** The chat that `useChat` creates, without a framework. */
export class Chat extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    super({ ...init, state: new State(messages) });
  }
}
