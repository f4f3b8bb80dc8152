import { readdirSync, readFileSync } from 'node:fs';

/**
 * Megabytes that a process and all that it started hold together. What several share counts once by PSS, which a page held
 * by n processes adds to each as an nth; where it is not to be read, RSS counts such pages with each.
 */
export const memoryOf = (pid: number) => sum([pid, ...descendantsOf(pid)]);

/** By what `memoryOf` counts here. */
export const measure = (() => {
  try {
    return pssOf(process.pid) ? 'PSS' : 'RSS';
  } catch {
    return 'RSS';
  }
})();

const sum = (pids: number[]) => pids.reduce((total, pid) => total + (unlessGone(() => sizeOf(pid)) ?? 0), 0) / 1_024;
const sizeOf = (pid: number) => (measure === 'PSS' ? pssOf(pid) : kilobytes(`/proc/${pid}/status`, 'VmRSS'));

function pssOf(pid: number): number {
  return kilobytes(`/proc/${pid}/smaps_rollup`, 'Pss');
}

function kilobytes(file: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? 0);
}

/** A child belongs to the thread that started it. */
function descendantsOf(pid: number): number[] {
  const threads = unlessGone(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  const children = threads.flatMap((thread) =>
    (unlessGone(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')) ?? '').split(' ').filter(Boolean),
  );
  return children.map(Number).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** A process may end while it is looked at. */
function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
