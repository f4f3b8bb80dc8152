import { readFile } from 'node:fs/promises';

/** What a process holds, and how long it has computed. */
export type Usage = { rssMb: number; cpuMs: number };

/** Linux counts the time of a process in hundredths of a second, whatever the kernel was built with. */
const tickMs = 10;

/** The usage of another process, where the system tells it in `/proc`; else null. */
export async function usageOf(pid: number): Promise<Usage | null> {
  try {
    const [status, stat] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    const rss = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    // The name of the program, in brackets, may hold spaces: the state follows it, and 11 numbers later the two times.
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
