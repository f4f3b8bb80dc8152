import { defineTask } from '../../sandbox/task.ts';
import type { readPdfPictures } from './pictures/pdf-pictures.ts';
import type { readContent } from './read.ts';

/** Reads the content of a source in a child process. */
export const contentTask = defineTask<typeof readContent>(new URL('read.ts', import.meta.url), 'readContent');
/** Decodes the pictures on pages of a PDF in a child process. */
export const picturesTask = defineTask<typeof readPdfPictures>(
  new URL('pictures/pdf-pictures.ts', import.meta.url),
  'readPdfPictures',
);
