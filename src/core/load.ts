import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ParleyError } from './errors.ts';

/** The load at which the gateway starts to refuse requests: requests in flight, and the delay of its event loop. */
type LoadBounds = {
  requests: number;
  delayMs: number;
  /** Bytes of responses that clients have not read yet; 200 MB by default. */
  unreadBytes?: number;
};
const defaultUnreadBytes = 200_000_000;

/**
 * The cost classes of requests. `share` is the fraction of a bound from which on such requests are refused, the most
 * expensive ones first; `retryAfter` is in seconds.
 */
const costs = {
  expensive: { share: 1, retryAfter: 5 },
  ordinary: { share: 1.5, retryAfter: 2 },
  cheap: { share: 2, retryAfter: 1 },
} as const;
export type Cost = keyof typeof costs;

const sampleMs = 1_000;
/** Resolution of the event loop's delay, in milliseconds. */
const resolution = 20;

/**
 * Measures this process's load and decides which requests to refuse. A stream counts as a request until its response
 * begins; its unread bytes count after that.
 */
export class Load {
  readonly #bounds: LoadBounds;
  #requests = 0;
  #delays: [before: number, last: number] = [0, 0];
  /** Bytes of responses that clients have not read yet, set by the code that tracks connections. */
  unreadBytes = 0;

  constructor(bounds: LoadBounds) {
    this.#bounds = bounds;
  }

  /** Requests in flight: their responses have not begun. */
  get requests(): number {
    return this.#requests;
  }

  /**
   * The event loop's delay over the last two seconds, in milliseconds: the lesser of two samples, since a single pause,
   * such as a large file or a garbage collection, is over by the time it shows.
   */
  get delayMs(): number {
    return Math.min(...this.#delays);
  }

  /** The highest fraction reached of any bound. */
  get pressure(): number {
    const { requests, delayMs, unreadBytes = defaultUnreadBytes } = this.#bounds;
    return Math.max(this.#requests / requests, this.delayMs / delayMs, this.unreadBytes / unreadBytes);
  }

  /** Counts a request until the returned function is called. */
  enter(): () => void {
    this.#requests++;
    let entered = true;
    return () => {
      if (entered) this.#requests--;
      entered = false;
    };
  }

  /** Whether no request is refused at the moment, so that its cost need not be computed. */
  get isCalm(): boolean {
    return this.pressure < costs.expensive.share;
  }

  /** Returns 503 `unavailable` if a request of this cost must be refused, otherwise null. */
  refusal(cost: Cost): ParleyError | null {
    const { share, retryAfter } = costs[cost];
    return this.pressure < share ? null : overloaded(retryAfter);
  }

  /** Records the event loop's delay over the past second, in milliseconds. */
  measure(delayMs: number): void {
    this.#delays = [this.#delays[1], delayMs];
  }

  /** Samples the event loop's delay until the returned function is called. */
  watch(): () => void {
    const histogram = monitorEventLoopDelay({ resolution });
    histogram.enable();
    const timer = setInterval(() => {
      this.measure(histogram.count === 0 ? 0 : Math.max(0, histogram.mean / 1e6 - resolution));
      histogram.reset();
    }, sampleMs).unref();
    return () => {
      clearInterval(timer);
      histogram.disable();
    };
  }
}

const overloaded = (seconds: number): ParleyError =>
  new ParleyError('unavailable', `The gateway is overloaded: nothing was done. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
