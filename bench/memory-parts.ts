import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { getHeapSpaceStatistics } from 'node:v8';

/** The parts of a process's resident memory, in bytes. */
export type Parts = [what: string, bytes: number][];

/** Breaks down the memory of this process, on Linux. Collects garbage to find out what is alive. */
export async function partsOfMemory(): Promise<Parts> {
  const [anonymous, file] = [resident('RssAnon'), resident('RssFile')];
  const { heapTotal, external } = process.memoryUsage();
  const young = getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.startsWith('new_'))
    .reduce((sum, space) => sum + space.physical_space_size, 0);
  const inspector = new Session();
  inspector.connect();
  await inspector.post('HeapProfiler.collectGarbage');
  inspector.disconnect();
  const alive = process.memoryUsage().heapUsed;
  return [
    ["Node's program and libraries, as files", file],
    ['objects and code that are in use', alive],
    ['the young generation', young],
    ['garbage and free pages of the old generation', Math.max(0, heapTotal - young - alive)],
    ['buffers', external],
    ['compiled WebAssembly, threads, the allocator', Math.max(0, anonymous - heapTotal - external)],
  ];
}

const status = '/proc/self/status';
/** A field of the process's status, in bytes; 0 if missing. */
function resident(name: string): number {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(status, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
