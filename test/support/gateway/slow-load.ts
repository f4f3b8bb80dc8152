import { registerHooks } from 'node:module';

/** Longer than a connection to PostgreSQL may take to open, in milliseconds. */
const slowMs = 6_000;

// Blocks while the app's modules load, as on a very slow machine.
registerHooks({
  load(url, context, next) {
    if (url.endsWith('/src/app.ts')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slowMs);
    return next(url, context);
  },
});
