import { vi } from 'vitest';

/**
 * Runs `work` while the clock of this process stands still. Whom a bearer stands for is read anew every five seconds, which
 * would be one statement more wherever statements are counted and the machine is slow.
 */
export async function withStoppedClock<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}
