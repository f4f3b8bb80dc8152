/** The process. What it does stands in start.ts, which is imported once Node was told how to hold memory and code. */
import './config/heap.ts';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { listenForSignals } from './signals.ts';

// From the first moment: what is half done when a signal comes is to be ended in order too.
const stop = listenForSignals();

// What Node compiled is kept for the next start.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
const { run } = await import('./start.ts');
await run(stop);
