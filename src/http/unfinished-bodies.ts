import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { ParleyError } from '../core/errors.ts';

/** How many bodies may be under way at once, their bytes, and what is slow of one address. */
export type BodyAllowance = { count: number; bytes: number; slowPerAddress: number; idleMs: number; lingerMs: number };
const usual: BodyAllowance = { count: 2_000, bytes: 256_000_000, slowPerAddress: 64, idleMs: 10_000, lingerMs: 2_000 };

type Options = {
  allowance?: Partial<BodyAllowance>;
  /** Milliseconds on a clock that only goes forward. */
  now?: () => number;
  /** Who sends a request, as callers are counted. */
  addressOf?: (request: IncomingMessage) => string;
};

/** A request whose body is counted while it arrives, whoever reads it. */
export class CountedRequest extends IncomingMessage {
  #arrival: Arrival | null = null;
  /** Tells that its answer begins. */
  leave: () => void = () => {};

  /** Begins to count. To be called before a byte of the body came. */
  count(arrival: Arrival): void {
    this.#arrival = arrival;
  }

  /** Notes that its bearer is genuine. */
  admit(): void {
    if (this.#arrival) this.#arrival.admitted = true;
  }

  /** What its reader is told when the rest of the body is not taken. The connection stays, so that it can be answered. */
  get refusal(): ParleyError | null {
    return this.#arrival?.refusal ?? null;
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const arrival = this.#arrival;
    if (!arrival) return super.push(chunk, encoding);
    if (chunk === null) arrival.end();
    else arrival.take(chunk.length);
    // What is not taken is read all the same, and dropped: a client may look for the answer only when it has sent all.
    return arrival.refusal ? true : super.push(chunk, encoding);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!(error instanceof ParleyError)) {
      this.#arrival?.end();
      return super._destroy(error, callback);
    }
    // As Node does it: the failure is for a reader, if there is one.
    process.nextTick(() => callback(this.listenerCount('error') > 0 ? error : null));
  }
}

/** One body that has begun and not ended. */
class Arrival {
  readonly request: CountedRequest;
  readonly since: number;
  readonly #bodies: UnfinishedBodies;
  latest: number;
  bytes = 0;
  admitted = false;
  refusal: ParleyError | null = null;
  refusedAt = 0;

  constructor(request: CountedRequest, bodies: UnfinishedBodies) {
    this.request = request;
    this.#bodies = bodies;
    this.since = bodies.now();
    this.latest = this.since;
  }

  take(size: number): void {
    this.latest = this.#bodies.now();
    if (this.refusal) return;
    this.bytes += size;
    this.#bodies.grow(size);
  }

  end(): void {
    this.#bodies.remove(this);
  }
}

/**
 * The bodies that have begun and not ended. Too many of them, or too many bytes, cost the worst one its place: one without a
 * bearer, one that has fallen silent, or else the oldest. Of one address, only those without a bearer and the silent ones are
 * few: a backend that sends many at once is one address too.
 */
export class UnfinishedBodies {
  readonly now: () => number;
  readonly #allowance: BodyAllowance;
  readonly #addressOf: (request: IncomingMessage) => string;
  readonly #open = new Set<Arrival>();
  readonly #refused = new Set<Arrival>();
  readonly #ofConnection = new WeakMap<Socket, Arrival>();
  #bytes = 0;

  constructor({
    allowance,
    now = () => performance.now(),
    addressOf = ({ socket }) => socket.remoteAddress ?? '',
  }: Options = {}) {
    this.#allowance = { ...usual, ...allowance };
    this.now = now;
    this.#addressOf = addressOf;
  }

  /** Bodies that are under way. */
  get count(): number {
    return this.#open.size;
  }

  /** Bytes that they hold. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts the body of a request that has just begun, when it has one. */
  begin(request: IncomingMessage): void {
    const arrival = this.#arrivalOf(request);
    if (!arrival) return;
    this.#open.add(arrival);
    this.#makeRoom();
  }

  /** Has the body of a request that was refused dropped while it arrives. */
  ignore(request: IncomingMessage, refusal: ParleyError): void {
    const arrival = this.#arrivalOf(request);
    if (arrival) this.#refuse(arrival, refusal);
  }

  #arrivalOf(request: IncomingMessage): Arrival | null {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
    if (!(request instanceof CountedRequest) || (length === '0' && coding === undefined)) return null;
    const arrival = new Arrival(request, this);
    request.count(arrival);
    this.#ofConnection.set(request.socket, arrival);
    return arrival;
  }

  grow(size: number): void {
    this.#bytes += size;
    this.#makeRoom();
  }

  remove(arrival: Arrival): void {
    this.#refused.delete(arrival);
    if (this.#open.delete(arrival)) this.#bytes -= arrival.bytes;
  }

  /** Looks to a connection: when it is gone, so is the body on it, whether its request was answered or not. */
  watch(socket: Socket): void {
    socket.once('close', () => this.#ofConnection.get(socket)?.end());
  }

  /** To be called each second: looks for the silent ones, and closes the connections of those that were refused. */
  async check(): Promise<void> {
    // When the process itself was held up, what has arrived meanwhile is read first: nobody is blamed for our silence.
    await setImmediate();
    const { slowPerAddress, lingerMs } = this.#allowance;
    const time = this.now();
    for (const arrival of this.#refused) {
      if (time - arrival.refusedAt < lingerMs) continue;
      this.#refused.delete(arrival);
      arrival.request.socket.destroy();
    }
    const slow = [...this.#open].filter((arrival) => this.#isSlow(arrival, time));
    for (const ofAddress of Map.groupBy(slow, ({ request }) => this.#addressOf(request)).values()) {
      const longestFirst = ofAddress.sort((one, other) => one.latest - other.latest);
      for (const arrival of longestFirst.slice(0, -slowPerAddress)) this.#refuse(arrival, tooManyOfAddress());
    }
  }

  #isSlow(arrival: Arrival, time: number): boolean {
    return time - arrival.latest >= this.#allowance.idleMs || isStranger(arrival);
  }

  #makeRoom(): void {
    const { count, bytes } = this.#allowance;
    while (this.#bytes > bytes || this.#open.size > count) {
      const worst = this.#worst();
      if (!worst) return;
      this.#refuse(worst, tooMany());
    }
  }

  #worst(): Arrival | null {
    const time = this.now();
    const rank = (arrival: Arrival) => Number(this.#isSlow(arrival, time)) + Number(isStranger(arrival));
    let worst: Arrival | null = null;
    for (const arrival of this.#open) {
      // They stand in the order in which they came.
      if (!worst || rank(arrival) > rank(worst)) worst = arrival;
    }
    return worst;
  }

  #refuse(arrival: Arrival, refusal: ParleyError): void {
    this.remove(arrival);
    this.#refused.add(arrival);
    arrival.refusal = refusal;
    arrival.refusedAt = this.now();
    arrival.request.destroy(refusal);
  }
}

/** Who shows a bearer is none while it is checked. */
const isStranger = ({ admitted, request }: Arrival): boolean =>
  !admitted && request.headers.authorization === undefined;

const tooMany = () =>
  new ParleyError('unavailable', 'Too many requests are arriving at once: try again.', {
    headers: { 'retry-after': '1' },
  });
const tooManyOfAddress = () =>
  new ParleyError('rate_limited', 'Too many requests of your address have begun and not ended: send them whole.', {
    headers: { 'retry-after': '10' },
  });

/** Why the rest of a body is not taken, of a request that came over HTTP; null for all others. */
export const refusalOf = (env: unknown): ParleyError | null => incomingOf(env)?.refusal ?? null;

/** Notes that the bearer of a request that came over HTTP is genuine. */
export const admit = (env: unknown): void => incomingOf(env)?.admit();

function incomingOf(env: unknown): CountedRequest | null {
  const { incoming } = (env ?? {}) as { incoming?: unknown };
  return incoming instanceof CountedRequest ? incoming : null;
}
