import { registerHooks } from 'node:module';

/** Longer than a connection to PostgreSQL may take to open, in milliseconds. */
const slowMs = 6_000;

// What is served takes as long to load as on a machine that has little time for it, and nothing else runs meanwhile.
registerHooks({
  load(url, context, next) {
    if (url.endsWith('/src/app.ts')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slowMs);
    return next(url, context);
  },
});
