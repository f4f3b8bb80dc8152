import { vi } from 'vitest';
import type { Gateway } from '../gateway/app.ts';

export const refused = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

/** Makes the database unreachable for a gateway until `end`, as when its server restarts. */
export function beginOutage({ handle: { pool } }: Gateway) {
  let count = 0;
  const refuse = (): Promise<never> => {
    count += 1;
    return Promise.reject(refused());
  };
  const spies = [vi.spyOn(pool, 'take').mockImplementation(refuse), vi.spyOn(pool, 'lease').mockImplementation(refuse)];
  return {
    /** How many attempts to reach it failed. */
    refusals: () => count,
    end() {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
