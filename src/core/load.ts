import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ParleyError } from './errors.ts';

/** What the gateway takes before it refuses anything: requests in flight, and by how much its event loop is late. */
export type LoadBounds = { requests: number; delayMs: number };

/** Bytes of answers that wait for their readers. */
const mostUnread = 200_000_000;

/**
 * What answering a request takes. `share` is the part of a bound at which such requests are refused: the dearest first.
 * They are asked to come back later, in seconds.
 */
const costs = {
  expensive: { share: 1, retryAfter: 5 },
  ordinary: { share: 1.5, retryAfter: 2 },
  cheap: { share: 2, retryAfter: 1 },
} as const;
export type Cost = keyof typeof costs;

const sampleMs = 1_000;
/** How often the event loop is looked at, in milliseconds. */
const resolution = 20;

/** How much this process has to do, and whom it refuses for that. Streams count until they begin, what is unread by its bytes. */
export class Load {
  readonly #bounds: LoadBounds;
  #requests = 0;
  #delays: [before: number, last: number] = [0, 0];
  /** Bytes of answers that wait for their readers, as whoever looks after the connections says. */
  unreadBytes = 0;

  constructor(bounds: LoadBounds) {
    this.#bounds = bounds;
  }

  /** Requests that have begun and whose answers have not. */
  get requests(): number {
    return this.#requests;
  }

  /**
   * By how much the event loop was late in the last two seconds, in milliseconds. The lesser of both counts: a single pause
   * is a large file or a collection of garbage, and over when it is seen.
   */
  get delayMs(): number {
    return Math.min(...this.#delays);
  }

  /** The part of a bound that is reached, of whichever is nearest. */
  get pressure(): number {
    const { requests, delayMs } = this.#bounds;
    return Math.max(this.#requests / requests, this.delayMs / delayMs, this.unreadBytes / mostUnread);
  }

  /** Counts a request until the function that is answered is called. */
  enter(): () => void {
    this.#requests++;
    let entered = true;
    return () => {
      if (entered) this.#requests--;
      entered = false;
    };
  }

  /** Whether any request is refused at the moment: if none is, nobody need know what one costs. */
  get isCalm(): boolean {
    return this.pressure < costs.expensive.share;
  }

  /** What a request of this cost is told when it is refused: 503 `unavailable`. */
  refusal(cost: Cost): ParleyError | null {
    const { share, retryAfter } = costs[cost];
    return this.pressure < share ? null : overloaded(retryAfter);
  }

  /** Notes by how much the event loop was late in the second that is over, in milliseconds. */
  measure(delayMs: number): void {
    this.#delays = [this.#delays[1], delayMs];
  }

  /** Measures the event loop until the function that is answered is called. */
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
  new ParleyError(
    'unavailable',
    `The gateway has more to do than it can: nothing was done. Try again in ${seconds} s.`,
    {
      headers: { 'retry-after': String(seconds) },
    },
  );
