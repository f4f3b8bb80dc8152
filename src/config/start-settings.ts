/** Node's flags for a gateway: a young generation that holds what a request makes, however many cores there are. */
export const startFlags = ['--max-semi-space-size=16', '--disable-warning=ExperimentalWarning'];

/** For glibc's malloc: few arenas, and what is large goes back to the system. */
export const startEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
