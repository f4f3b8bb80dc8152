import { readFile } from 'node:fs/promises';

/** Resident memory and CPU time of a process. */
export type Usage = { rssMb: number; cpuMs: number };

/** Linux reports CPU times in ticks of 1/100 s (USER_HZ), however the kernel was built. */
const tickMs = 10;

/** Returns the usage of another process from `/proc`; null where that is unavailable. */
export async function usageOf(pid: number): Promise<Usage | null> {
  try {
    const [status, stat] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    const rss = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    // The program's name, in parentheses, may contain spaces; utime and stime are the 12th and 13th fields after it.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return rss === undefined
      ? null
      : { rssMb: (Number(rss) * 1_024) / 1e6, cpuMs: (Number(user) + Number(system)) * tickMs };
  } catch {
    return null;
  }
}
