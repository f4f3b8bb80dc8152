import { vi } from 'vitest';

/**
 * Runs `work` with a stopped clock. The gateway re-reads the viewer of a bearer every five seconds, which would
 * add a statement to the count on a slow machine.
 */
export async function withStoppedClock<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}
