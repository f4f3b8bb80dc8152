/** Consecutive failures that open the breaker. */
const threshold = 5;
const openMs = 30_000;

/** Keeps calls away from a model that keeps failing. The state is local to this process. */
export type Breaker = {
  /**
   * Asks to call the model: returns 0 if it may be called, or for how many milliseconds the breaker stays open. After
   * 0, report the outcome.
   */
  enter(): number;
  /** For how many milliseconds the breaker stays open; 0 if it is closed. */
  openForMs(): number;
  succeeded(): void;
  /** `openMinMs`: the delay that the model itself asked for, in milliseconds. */
  failed(openMinMs?: number): void;
  /** The call ended in a way that says nothing about the model's health. */
  abandoned(): void;
};

/**
 * A circuit breaker: after five consecutive failures it opens for half a minute, then lets one call through as a probe.
 * The other calls move on to their fallback rather than wait for the probe, which may take a minute.
 */
export function createBreaker(now: () => number = Date.now): Breaker {
  let failures = 0;
  let until = 0;
  let trying = false;
  const openForMs = () => Math.max(0, until - now());
  return {
    openForMs,
    enter() {
      if (openForMs() > 0) return openForMs();
      if (failures < threshold) return 0;
      if (trying) return 1_000;
      trying = true;
      return 0;
    },
    succeeded() {
      failures = 0;
      until = 0;
      trying = false;
    },
    failed(openMinMs = 0) {
      failures++;
      trying = false;
      if (failures >= threshold) until = now() + Math.min(Math.max(openMs, openMinMs), 10 * openMs);
    },
    abandoned: () => {
      trying = false;
    },
  };
}
