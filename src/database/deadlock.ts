import { setTimeout } from 'node:timers/promises';
import { isDeadlock } from './errors.ts';

const retries = 4;
const maxPauseMs = 50;

/**
 * Retries a transaction, or a single statement, that PostgreSQL aborted because of a deadlock or a serialization
 * failure: nothing of it was stored, and the caller has done nothing wrong.
 */
export async function retryDeadlocks<T>(attempt: () => Promise<T>): Promise<T> {
  for (let remaining = retries; ; remaining -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (remaining === 0 || !isDeadlock(error)) throw error;
      // Random, so that the same transactions do not collide again.
      await setTimeout(Math.random() * maxPauseMs);
    }
  }
}
