import type { Question } from './types.ts';

/** What this browser keeps between two pages. `asking`: the question whose answer has not come yet. */
type Kept = { secret?: string; open?: boolean; fresh?: boolean; asking?: Question | null };
export type Memory = { read(): Kept; write(changes: Kept): void };

/** Keeps it in the page's local storage; where that is forbidden, only as long as the page is open. */
export function createMemory(channel: string): Memory {
  const name = `parley:${channel}`;
  let kept: Kept = {};
  try {
    kept = JSON.parse(localStorage.getItem(name) ?? '{}') as Kept;
  } catch {
    // Unreadable, or no storage: it begins anew.
  }
  return {
    read: () => kept,
    write(changes) {
      kept = { ...kept, ...changes };
      try {
        localStorage.setItem(name, JSON.stringify(kept));
      } catch {
        // Full or forbidden.
      }
    },
  };
}
