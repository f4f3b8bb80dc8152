import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { ParleyError } from '../core/errors.ts';

/**
 * Limits on bodies in flight: how many, their bytes, and how many slow ones per address. The rest of one whose request
 * is answered is dropped as it arrives, until nothing comes for `lingerMs`, for `dropMs` at most, and of `dropped` at
 * once.
 */
export const defaultBodyAllowance = {
  count: 2_000,
  bytes: 256_000_000,
  slowPerAddress: 64,
  idleMs: 10_000,
  lingerMs: 5_000,
  dropMs: 30_000,
  dropped: 2_000,
};
export type BodyAllowance = typeof defaultBodyAllowance;

type Options = {
  allowance?: Partial<BodyAllowance>;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
  /** The address by which callers are counted. */
  addressOf?: (request: IncomingMessage) => string;
};

/** A request that counts its body as it arrives, whoever reads it. */
export class CountedRequest extends IncomingMessage {
  #body: IncomingBody | null = null;
  /** Called when its response begins. */
  onResponse: () => void = () => {};

  /** Starts counting. Must be called before any of the body has arrived. */
  count(body: IncomingBody): void {
    this.#body = body;
  }

  /** Notes that the bearer was verified. */
  admit(): void {
    if (this.#body) this.#body.admitted = true;
  }

  /** The error its reader gets when the rest of the body is refused. The connection stays open for the response. */
  get refusal(): ParleyError | null {
    return this.#body?.refusal ?? null;
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const body = this.#body;
    if (!body) return super.push(chunk, encoding);
    if (chunk === null) body.end();
    else body.take(chunk.length);
    // Refused data is still read, and dropped: a client may only read the response once it has sent everything.
    return body.refusal ? true : super.push(chunk, encoding);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!(error instanceof ParleyError)) {
      this.#body?.end();
      return super._destroy(error, callback);
    }
    // As Node does: emit the error only if something listens for it.
    process.nextTick(() => callback(this.listenerCount('error') > 0 ? error : null));
  }
}

/** A body that has started and not ended. */
class IncomingBody {
  readonly request: CountedRequest;
  readonly since: number;
  readonly #bodies: UnfinishedBodies;
  latest: number;
  bytes = 0;
  admitted = false;
  refusal: ParleyError | null = null;
  /** When it became of no use, since its request is answered or refused; null until then. */
  droppedAt: number | null = null;
  /** What its connection had received when that was last looked at: Node passes on nothing of an answered body. */
  #received = 0;

  constructor(request: CountedRequest, bodies: UnfinishedBodies) {
    this.request = request;
    this.#bodies = bodies;
    this.since = bodies.now();
    this.latest = this.since;
  }

  take(size: number): void {
    if (this.droppedAt !== null) return;
    this.latest = this.#bodies.now();
    this.bytes += size;
    this.#bodies.grow(size);
  }

  /** Updates `latest` if anything has come since the last call. */
  look(): void {
    const { bytesRead } = this.request.socket;
    if (bytesRead !== this.#received) this.latest = this.#bodies.now();
    this.#received = bytesRead;
  }

  end(): void {
    this.#bodies.remove(this);
    const { socket } = this.request;
    // It was only kept for the rest of the body.
    if (this.droppedAt !== null && socket?.writableEnded) socket.destroySoon();
  }
}

/**
 * The bodies that have started and not ended. When there are too many of them, or too many bytes, the worst one is
 * refused: one without a bearer, one that has gone silent, or else the oldest. Per address, only those without a bearer
 * and the silent ones are limited: a backend that sends many at once is one address too.
 */
export class UnfinishedBodies {
  readonly now: () => number;
  readonly #allowance: BodyAllowance;
  readonly #addressOf: (request: IncomingMessage) => string;
  readonly #open = new Set<IncomingBody>();
  readonly #dropped = new Set<IncomingBody>();
  readonly #ofConnection = new WeakMap<Socket, IncomingBody>();
  #bytes = 0;

  constructor({
    allowance,
    now = () => performance.now(),
    addressOf = ({ socket }) => socket.remoteAddress ?? '',
  }: Options = {}) {
    this.#allowance = { ...defaultBodyAllowance, ...allowance };
    this.now = now;
    this.#addressOf = addressOf;
  }

  /** The number of bodies in flight. */
  get count(): number {
    return this.#open.size;
  }

  /** The bytes received of them. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of bodies that are dropped as they arrive. */
  get dropped(): number {
    return this.#dropped.size;
  }

  /** Whether the rest of a body on this connection is dropped as it arrives. */
  isDropped(socket: Socket): boolean {
    const body = this.#ofConnection.get(socket);
    return body !== undefined && this.#dropped.has(body);
  }

  /** Starts counting the body of a new request. Returns whether it has one. */
  begin(request: IncomingMessage): boolean {
    const body = this.#arrivalOf(request);
    if (!body) return false;
    this.#open.add(body);
    this.#makeRoom();
    return true;
  }

  /** Drops the body of a refused request as it arrives. */
  ignore(request: IncomingMessage, refusal: ParleyError): void {
    const body = this.#arrivalOf(request);
    if (body) this.#refuse(body, refusal);
  }

  #arrivalOf(request: IncomingMessage): IncomingBody | null {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
    if (!(request instanceof CountedRequest) || (length === '0' && coding === undefined)) return null;
    const body = new IncomingBody(request, this);
    request.count(body);
    this.#ofConnection.set(request.socket, body);
    return body;
  }

  grow(size: number): void {
    this.#bytes += size;
    this.#makeRoom();
  }

  remove(body: IncomingBody): void {
    this.#dropped.delete(body);
    if (this.#open.delete(body)) this.#bytes -= body.bytes;
  }

  /**
   * Tracks a connection: when it closes, the body on it has ended, whether its request was answered or not. A response
   * that ends the connection closes it when the body has come, or is dropped no longer: the rest of it would be
   * answered by a reset, which can reach a client, or a proxy, before it has read the response.
   */
  watch(socket: Socket): void {
    socket.once('close', () => this.#ofConnection.get(socket)?.end());
    const { destroySoon } = socket;
    socket.destroySoon = () => {
      const body = this.#ofConnection.get(socket);
      if (body) this.dropRest(body.request);
      if (this.isDropped(socket)) socket.end();
      else destroySoon.call(socket);
    };
  }

  /**
   * Drops what is yet to come of the body of an answered request: most clients read only once they have sent it all.
   */
  dropRest(request: IncomingMessage): void {
    const body = this.#ofConnection.get(request.socket);
    if (body?.request === request && body.droppedAt === null && !request.complete) this.#drop(body);
  }

  #drop(body: IncomingBody): void {
    this.remove(body);
    body.droppedAt = this.now();
    body.look();
    this.#dropped.add(body);
    // Whoever read it may have paused it, and would again.
    body.request.removeAllListeners('data').resume();
    const [oldest] = this.#dropped;
    if (this.#dropped.size > this.#allowance.dropped) oldest?.request.socket.destroy();
  }

  /**
   * To be called every second: refuses an address's slow bodies beyond its allowance, and closes the connections of
   * dropped ones that have stalled or take too long.
   */
  async check(): Promise<void> {
    // If the event loop was blocked, first read what arrived meanwhile: clients are not to blame for our silence.
    await setImmediate();
    const { slowPerAddress, lingerMs, dropMs } = this.#allowance;
    const time = this.now();
    for (const body of this.#dropped) {
      body.look();
      if (time - body.latest < lingerMs && time - (body.droppedAt ?? time) < dropMs) continue;
      this.#dropped.delete(body);
      body.request.socket.destroy();
    }
    const slow = [...this.#open].filter((body) => this.#isSlow(body, time));
    for (const ofAddress of Map.groupBy(slow, ({ request }) => this.#addressOf(request)).values()) {
      const oldestFirst = ofAddress.sort((one, other) => one.latest - other.latest);
      for (const body of oldestFirst.slice(0, -slowPerAddress)) this.#refuse(body, tooManyOfAddress());
    }
  }

  #isSlow(body: IncomingBody, time: number): boolean {
    return time - body.latest >= this.#allowance.idleMs || isUnauthenticated(body);
  }

  #makeRoom(): void {
    const { count, bytes } = this.#allowance;
    while (this.#bytes > bytes || this.#open.size > count) {
      const worst = this.#worst();
      if (!worst) return;
      this.#refuse(worst, tooMany());
    }
  }

  #worst(): IncomingBody | null {
    const time = this.now();
    const rank = (body: IncomingBody) => Number(this.#isSlow(body, time)) + Number(isUnauthenticated(body));
    let worst: IncomingBody | null = null;
    for (const body of this.#open) {
      // The set is in order of arrival, so ties go to the oldest.
      if (!worst || rank(body) > rank(worst)) worst = body;
    }
    return worst;
  }

  #refuse(body: IncomingBody, refusal: ParleyError): void {
    this.#drop(body);
    body.refusal = refusal;
    body.request.destroy(refusal);
  }
}

/** A request with a bearer does not count as anonymous while the bearer is being verified. */
const isUnauthenticated = ({ admitted, request }: IncomingBody): boolean =>
  !admitted && request.headers.authorization === undefined;

const tooMany = () =>
  new ParleyError('unavailable', 'Too many requests are arriving at once: try again.', {
    headers: { 'retry-after': '1' },
  });
const tooManyOfAddress = () =>
  new ParleyError('rate_limited', 'Too many requests from your address are incomplete: finish sending them first.', {
    headers: { 'retry-after': '10' },
  });

/** Why the rest of a request's body is refused; null if it is not, or the request did not come through node:http. */
export const refusalOf = (request: unknown): ParleyError | null =>
  request instanceof CountedRequest ? request.refusal : null;

/** Notes that the bearer of a request was verified. */
export const admit = (request: unknown): void => {
  if (request instanceof CountedRequest) request.admit();
};
