import { Buffer } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import { readContent } from '../../../src/knowledge/extract/read.ts';
import type { Content, Extracted } from '../../../src/knowledge/extract/types.ts';
import { defineTask, type OnProgress } from '../../../src/sandbox/task.ts';

const held: Buffer[] = [];
const never = new Promise<never>(() => {});

/** What a hostile or broken reader would do; each probe returns the result. */
const probes: Record<string, (argument: string) => unknown> = {
  endless: () => {
    for (;;);
  },
  large: () => {
    held.push(Buffer.alloc(400_000_000, 1));
    return never;
  },
  abort: () => process.abort(),
  exit: () => process.exit(3),
  fault: () => {
    throw new TypeError('a fault of the reader');
  },
  pid: () => process.pid,
  environment: () => process.env,
  heapMb: () => getHeapStatistics().heap_size_limit / 2 ** 20,
  nice: async () => (await import('node:os')).getPriority(),
  'read a file': async (file) => (await import('node:fs')).readFileSync(file, 'utf8'),
  'write a file': (file) => writeFileSync(file, 'written'),
  'start a process': () => import('node:child_process'),
  'open a socket': () => import('node:net'),
  'look up a name': () => import('node:dns/promises'),
  'ask a server': async (url) => (await fetch(url)).status,
};

/** The gateway's reader, which runs a probe for the text `probe <name>: <argument>`. */
export async function readProbe(content: Content, onProgress: OnProgress): Promise<Extracted> {
  const text = new TextDecoder().decode(content.bytes);
  const [, name = '', argument = ''] = /^probe ([^:]+):(.*)/.exec(text) ?? [];
  const probe = probes[name];
  if (!probe) return readContent(content, onProgress);
  const answer = await probe(argument);
  return { sections: [{ text: JSON.stringify(answer) }] };
}

/** Folders that the child process must be allowed to read. */
export const probeFolders = [new URL('.', import.meta.url)];
export const probeTask = defineTask<typeof readProbe>(new URL(import.meta.url), 'readProbe');
