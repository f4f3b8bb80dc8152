/**
 * The process entry point, of the gateway and of each of its workers. The work is in run.ts, which is imported once the
 * flags of V8 and the compile cache are set.
 */
import './config/v8-flags.ts';
import { enableCompileCache } from 'node:module';
import { compileCache } from './config/start-settings.ts';
import { listenForSignals } from './signals.ts';
import { connectToPrimary } from './workers/worker.ts';

// First of all, so that a signal during startup also leads to an orderly shutdown.
const primary = connectToPrimary();
const stop = listenForSignals(primary?.stop);

// Keeps V8's compiled code for the next start.
enableCompileCache(compileCache);
const { run } = await import('./run.ts');
await run(stop, primary);
