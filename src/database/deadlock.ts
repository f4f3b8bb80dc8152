import { setTimeout } from 'node:timers/promises';
import { isDeadlock } from './errors.ts';

const retries = 4;
const longestPauseMs = 50;

/**
 * Repeats a transaction, or a statement outside of one, that PostgreSQL has ended as the victim of a deadlock or of a
 * serialization failure: nothing of it was kept, and whoever asked for it has done nothing wrong.
 */
export async function retryDeadlocks<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = retries; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !isDeadlock(error)) throw error;
      // At random, so that those who met do not meet again.
      await setTimeout(Math.random() * longestPauseMs);
    }
  }
}
