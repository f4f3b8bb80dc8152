import { totalmem } from 'node:os';

/**
 * V8 sizes a heap as if its process had the machine, or the container, for itself. Of its memory, heaps may have this.
 */
const share = 0.75;
const minMb = 256;
/** V8's own default on a machine with much memory. */
const maxMb = 4_096;

/** Flags that give each worker its part of the memory; none where the operator sets the size (NODE_OPTIONS). */
export function heapFlags(workers: number, env: NodeJS.ProcessEnv): string[] {
  const given = [...process.execArgv, env.NODE_OPTIONS ?? ''].join(' ');
  if (/--max[-_]old[-_]space[-_]size/.test(given)) return [];
  return [`--max-old-space-size=${heapMb(workers, memoryBytes())}`];
}

/** The largest old generation of each worker in MB, of `bytes` of memory. */
const heapMb = (workers: number, bytes: number): number =>
  Math.min(maxMb, Math.max(minMb, Math.floor((bytes * share) / workers / 2 ** 20)));

/** Without a limit, `constrainedMemory` is 0 or beyond what the machine has. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
