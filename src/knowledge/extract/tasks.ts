import { defineTask } from '../../sandbox/task.ts';
import type { readContent } from './read.ts';

/** Reads the content of a source in a child process. */
export const contentTask = defineTask<typeof readContent>(new URL('read.ts', import.meta.url), 'readContent');
