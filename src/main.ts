/**
 * The process entry point. The work is in start.ts, which is imported once the heap and the compile cache are
 * configured.
 */
import './config/heap.ts';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { listenForSignals } from './signals.ts';

// First of all, so that a signal during startup also leads to an orderly shutdown.
const stop = listenForSignals();

// Keeps V8's compiled code for the next start.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
const { run } = await import('./start.ts');
await run(stop);
