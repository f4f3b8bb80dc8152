/** How many failures in a row make a model rest. */
const threshold = 5;
const restMs = 30_000;

/** Keeps from asking a model that fails again and again. Its state is this process's own. */
export type Breaker = {
  /** Takes the way to the model; 0, or for how many milliseconds it is closed. After `enter` 0, say how it went. */
  enter(): number;
  /** For how many milliseconds the model rests. */
  resting(): number;
  succeeded(): void;
  /** `restFor`: how long the model itself asked to be left alone, in milliseconds. */
  failed(restFor?: number): void;
  /** It was asked, and what came of it says nothing of its health. */
  left(): void;
};

/**
 * A circuit breaker: after five failures in a row the model rests for half a minute, then one call may try whether it is
 * well again while the others go on to their fallback. They never wait for that call, which may take a minute.
 */
export function createBreaker(now: () => number = Date.now): Breaker {
  let failures = 0;
  let until = 0;
  let trying = false;
  const resting = () => Math.max(0, until - now());
  return {
    resting,
    enter() {
      if (resting() > 0) return resting();
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
    failed(restFor = 0) {
      failures++;
      trying = false;
      if (failures >= threshold) until = now() + Math.min(Math.max(restMs, restFor), 10 * restMs);
    },
    left: () => {
      trying = false;
    },
  };
}
