import { readdirSync, readFileSync } from 'node:fs';

/**
 * The memory of a process and all its descendants, in megabytes. With PSS, pages shared by n processes add an nth to
 * each; where PSS cannot be read, RSS counts them in full for each.
 */
export const memoryOf = (pid: number) => sum([pid, ...descendantsOf(pid)]);

/** Which of the two `memoryOf` uses here. */
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

/** /proc lists children per thread. */
function descendantsOf(pid: number): number[] {
  const threads = unlessGone(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  const children = threads.flatMap((thread) =>
    (unlessGone(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')) ?? '').split(' ').filter(Boolean),
  );
  return children.map(Number).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** A process may exit while it is being read. */
function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
