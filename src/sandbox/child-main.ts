/** A child process that parses untrusted files: one task after another, until the gateway kills it or is gone. */
import { registerHooks } from 'node:module';
import { Worker } from 'node:worker_threads';
import { failureName } from './extract-failure.ts';
import type { ReplyMessage, TaskMessage } from './protocol.ts';
import type { OnProgress } from './task.ts';

const quietMs = 250;

// The child ends with the gateway. A parser stuck in a loop would miss that, so a worker thread watches for it, and for
// memory use.
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
new Worker(new URL('watchdog.js', import.meta.url), {
  workerData: { parent: process.ppid, memoryMb: Number(process.argv[2]) },
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
}).unref();

// Parsers need no network, and Node 24's permission model does not cover it.
const refused = /^(node:)?(net|tls|dgram|dns|https?2?|http2|child_process|cluster|worker_threads|inspector)(\/|$)/;
registerHooks({
  resolve(specifier, context, next) {
    if (refused.test(specifier)) throw new Error(`A reader may not load ${specifier}`);
    return next(specifier, context);
  },
});
for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name);

process.on('message', ({ id, module, name, input, byteLength }: TaskMessage) => {
  const send = (reply: ReplyMessage) => process.send?.(reply);
  let sentAt = 0;
  const onProgress = (done: number, total: number) => {
    if (performance.now() - sentAt < quietMs) return;
    sentAt = performance.now();
    send({ id, progress: { done, total } });
  };
  const run = async () => {
    const bytes = byteLength === null ? {} : { bytes: await readBytes(byteLength) };
    const task = (await import(module))[name] as (input: object, onProgress: OnProgress) => unknown;
    return task({ ...input, ...bytes }, onProgress);
  };
  run().then(
    (result) => send({ id, result }),
    (error: unknown) => {
      const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
      // By name: a module that is not bundled has a class of its own.
      if (name === failureName) return send({ id, failure: message });
      send({ id, fault: { message, stack } });
    },
  );
});

/** Reads the next `length` bytes of standard input into an array of their own. */
function readBytes(length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let at = 0;
  return new Promise((resolve) => {
    const consume = (chunk: Buffer) => {
      bytes.set(chunk, at);
      at += chunk.length;
      if (at < length) return;
      process.stdin.off('data', consume).pause();
      resolve(bytes);
    };
    if (length) process.stdin.on('data', consume).resume();
    else resolve(bytes);
  });
}
