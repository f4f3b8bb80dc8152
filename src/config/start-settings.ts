/**
 * Node flags for the gateway: a young generation large enough for the garbage of a request, whatever the number of
 * cores.
 */
export const startFlags = ['--max-semi-space-size=16', '--disable-warning=ExperimentalWarning'];

/** Settings of glibc's malloc: few arenas, and large blocks are returned to the system. */
export const startEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
