import { type ErrorBody, ParleyError } from '../core/errors.ts';

/** One end of the connection between the primary and a worker. */
type Port = {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
};
type Handler = (body: never) => unknown;

type Message =
  | { parley: 'request'; id: number; name: string; body: unknown }
  | { parley: 'response'; id: number; result?: unknown; error?: ErrorBody };
type Pending = { resolve(result: unknown): void; reject(error: Error): void };

/** The other process ended, or did not respond in time. */
class ChannelError extends Error {
  override name = 'ChannelError';
}

/** Requests in both directions over a port. Handlers are found by name; their errors are rethrown at the other end. */
export class Channel {
  readonly #port: Port;
  readonly #handlers = new Map<string, Handler>();
  readonly #pending = new Map<number, Pending>();
  #count = 0;

  constructor(port: Port) {
    this.#port = port;
    port.onMessage((message) => void this.#receive(message as Message));
  }

  handle(name: string, handler: Handler): void {
    this.#handlers.set(name, handler);
  }

  /** Rejects with the handler's error, or with `ChannelError` if there is no response within `timeoutMs`. */
  async request<T = unknown>(name: string, body?: unknown, timeoutMs = 5_000): Promise<T> {
    const id = ++this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { resolve, reject });
    const timer = setTimeout(() => reject(new ChannelError(`no response to ${name}`)), timeoutMs);
    try {
      this.#port.send({ parley: 'request', id, name, body });
      return (await promise) as T;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  /** Sends a request without waiting for its response; a failure is ignored. */
  notify(name: string, body?: unknown): void {
    this.request(name, body).catch(() => {});
  }

  /** Rejects the requests in flight: the other process has ended. */
  close(): void {
    for (const { reject } of this.#pending.values()) reject(new ChannelError('the other process has ended'));
  }

  async #receive(message: Message): Promise<void> {
    if (message?.parley === 'response') {
      const pending = this.#pending.get(message.id);
      if (!message.error) return pending?.resolve(message.result);
      const { code, message: text, issues } = message.error;
      return pending?.reject(new ParleyError(code, text, { ...(issues && { issues }) }));
    }
    if (message?.parley !== 'request') return;
    const { id, name, body } = message;
    try {
      const handler = this.#handlers.get(name);
      if (!handler) throw new ChannelError(`nothing handles ${name}`);
      const result = await (handler as (body: unknown) => unknown)(body);
      this.#send({ parley: 'response', id, result });
    } catch (error) {
      const failure = error instanceof ParleyError ? error : new ParleyError('internal_error', String(error));
      this.#send({ parley: 'response', id, error: failure.body });
    }
  }

  /** The other process may have ended meanwhile. */
  #send(message: Message): void {
    try {
      this.#port.send(message);
    } catch {}
  }
}
