import { readEvents } from './events.ts';
import { type IdentitySource, tokenOf, userOf } from './identity.ts';
import type { Memory } from './memory.ts';
import { sendFile } from './send-file.ts';
import type { Conversation, ConversationSummary, Message, Part, Question, Session } from './types.ts';

/** An error from the gateway, with its code; `network` if it could not be reached. */
export class Failure extends Error {
  readonly code: string;
  readonly status: number;

  constructor(message: string, code: string, status: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export type Api = ReturnType<typeof createApi>;
type Options = { base: string; channel: string; memory: Memory };

/** Consecutive connection failures before giving up and leaving it to the visitor to retry: about five minutes. */
const maxLost = 40;
/** Consecutive `unavailable` responses before giving up: about three quarters of a minute. */
const maxRefused = 10;
const maxPauseMs = 8_000;

/** A client for the widget's endpoints, as the visitor that this browser remembers. */
export function createApi({ base, channel, memory }: Options) {
  let token = '';
  let source: IdentitySource = null;

  async function enter(given = source, signed?: string | null): Promise<Session> {
    const identity = signed ?? (await tokenOf(given));
    const { secret: known = null, user: last = null } = memory.read();
    const user = identity && userOf(identity);
    const body = { channel, secret: known, ...(identity && { identity }) };
    const session = (await (await request('session', { body })).json()) as Session;
    token = session.token;
    source = given;
    // What one visitor asked is not asked again for another.
    memory.write({ secret: session.secret, user, ...(user !== last && { asking: null, answers: null }) });
    return session;
  }

  type Request = { method?: string; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal };
  async function request(path: string, { method = 'POST', body, headers = {}, signal }: Request): Promise<Response> {
    const response = await fetch(`${base}widget/${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      credentials: 'omit',
      signal,
    }).catch((error: Error) => {
      throw new Failure(error.message, 'network', 0);
    });
    if (response.ok) return response;
    const failure = (await response.json().catch(() => ({}))) as { message?: string; code?: string };
    // Without a code, the response comes from a proxy in front of the gateway.
    const code = failure.code ?? (response.status > 500 ? 'network' : 'failed');
    throw new Failure(failure.message ?? response.statusText, code, response.status);
  }

  /** Like `request`, but renews an expired token once. */
  const call = (path: string, given: Request): Promise<Response> =>
    request(path, given).catch(async (error: Failure) => {
      if (error.status !== 401) throw error;
      token = '';
      await enter();
      return request(path, given);
    });

  type Upload = { conversationId: string | null; signal: AbortSignal; onProgress: (part: number) => void };
  async function upload(file: File, { conversationId, ...options }: Upload, renewed = false): Promise<string> {
    const query = new URLSearchParams({ name: file.name, ...(conversationId && { conversationId }) });
    const { status, text } = await sendFile(`${base}widget/attachments?${query}`, file, { token, ...options }).catch(
      (error: Error) => {
        throw new Failure(error.message, 'network', 0);
      },
    );
    if (status === 401 && !renewed) {
      token = '';
      await enter();
      return upload(file, { conversationId, ...options }, true);
    }
    const answer = parse(text);
    if (status !== 201 || !answer.handle) throw new Failure(answer.message ?? '', answer.code ?? 'network', status);
    return answer.handle;
  }

  type Asking = { receive: (part: Part) => void; pausing: () => void; signal: AbortSignal };
  return {
    enter: () => enter(),
    /**
     * Enters as a user of the page's site, or as somebody unknown again. Resolves to null if nobody else is here now.
     * Throws `Failure`, and what the page's function throws.
     */
    async identify(given: IdentitySource): Promise<Session | null> {
      const { user = null } = memory.read();
      if (token && given === null && user === null) return null;
      const identity = await tokenOf(given);
      if (token && identity && userOf(identity) === user) {
        source = given;
        return null;
      }
      return enter(given, identity);
    },
    base,
    /** Stores a file for the next message, and returns what stands for it there. Throws `Failure`. */
    upload: (file: File, options: Upload): Promise<string> => upload(file, options),
    /** A conversation of the visitor, by default the latest; null if there is none. */
    async conversation(id: string | null): Promise<Conversation | null> {
      const path = id ? `conversation?id=${encodeURIComponent(id)}` : 'conversation';
      const response = await call(path, { method: 'GET' });
      return ((await response.json()) as { conversation: Conversation | null }).conversation;
    },
    async conversations(): Promise<ConversationSummary[]> {
      const response = await call('conversations', { method: 'GET' });
      return ((await response.json()) as { conversations: ConversationSummary[] }).conversations;
    },
    /**
     * Streams new messages to the visitor, including a person's, until `signal` aborts or the gateway ends the stream.
     */
    async *replies(conversationId: string, signal: AbortSignal): AsyncGenerator<Message, void> {
      const path = `replies?id=${encodeURIComponent(conversationId)}`;
      for await (const { data } of readEvents(await call(path, { method: 'GET', signal }))) {
        const event = JSON.parse(data) as { type: string; data: Message };
        if (event.type === 'data-message') yield event.data;
      }
    },
    /** Checks the answers to the form. Throws `Failure`. */
    answerForm: (lead: object) => call('form', { body: { lead } }),
    stop: (conversationId: string) => call('stop', { body: { conversationId } }),
    rateConversation: (conversationId: string, satisfaction: number, comment?: string | null) =>
      call('satisfaction', { body: { conversationId, satisfaction, comment } }),
    rate: (messageId: string, rating: 'like' | 'dislike' | null) => call('feedback', { body: { messageId, rating } }),

    /**
     * Asks a question, and reports each part of the answer. Resumes a broken stream after the last part received;
     * resends a question that got no answer, or failed in the gateway, under its idempotency key. Calls `pausing`
     * before each delay. Throws `Failure`, and whatever `signal` aborts with.
     */
    async ask({ key, body }: Question, { receive, pausing, signal }: Asking): Promise<void> {
      let last = '';
      let lost = 0;
      let refused = 0;
      for (;;) {
        try {
          const headers = {
            accept: 'text/event-stream',
            'idempotency-key': key,
            ...(last && { 'last-event-id': last }),
          };
          for await (const event of readEvents(await call('messages', { body, headers, signal }))) {
            signal.throwIfAborted();
            const part = JSON.parse(event.data) as Part;
            // Resuming the stream of a failed attempt would only return the same error.
            last = part.type === 'error' ? '' : event.id || last;
            if (part.type === 'error') throw new Failure(part.message, part.code, 502);
            receive(part);
            if (part.type === 'data-turn') return;
            lost = 0;
          }
          throw new Failure('The stream was interrupted.', 'network', 0);
        } catch (error) {
          signal.throwIfAborted();
          const isRefusal = error instanceof Failure && error.code !== 'network';
          if (isRefusal && (!passing.includes(error.code) || ++refused >= maxRefused)) throw error;
          if (!isRefusal && ++lost >= maxLost) throw error;
          pausing();
          await pause(Math.min(250 * 2 ** (isRefusal ? refused : lost), maxPauseMs));
        }
      }
    },
  };
}

function parse(text: string): { handle?: string; message?: string; code?: string } {
  try {
    return JSON.parse(text) as { handle?: string };
  } catch {
    // The answer of a proxy in front of the gateway.
    return {};
  }
}

/** Codes of transient errors, as when the gateway restarts. */
const passing = ['unavailable', 'request_in_progress'];

/** Resolves after `ms`, or earlier when the browser is back online. */
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
  });
