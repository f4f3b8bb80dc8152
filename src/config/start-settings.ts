import { fileURLToPath } from 'node:url';

/**
 * Node flags for the gateway: a young generation large enough for the garbage of a request, whatever the number of
 * cores.
 */
export const startFlags = ['--max-semi-space-size=16', '--disable-warning=ExperimentalWarning'];

/** Where V8's compiled code is kept for the next start. */
export const compileCache = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));

/**
 * Compiled code from the first module on: a start that finds all of it does not load what removes types. And settings
 * of glibc's malloc: few arenas, and large blocks are returned to the system.
 */
export const startEnvironment = {
  NODE_COMPILE_CACHE: compileCache,
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '69632',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
