import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { tableFileOf } from './manifest.ts';
import { requireRegularFile } from './regular-file.ts';

/**
 * The rows of a table in a backup, in COPY text format. Nothing is opened until they are read. Throws if it is damaged.
 */
export async function* readTableFile(folder: string, name: string): AsyncGenerator<Buffer> {
  const file = tableFileOf(folder, name);
  try {
    await requireRegularFile(file);
    const rows = createGunzip();
    // A failure reaches the reader, as the error of the last stream.
    pipeline(createReadStream(file), rows, () => {});
    yield* rows;
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is missing' : `is damaged (${(error as Error).message})`;
    throw new Error(`The backup is not whole: ${file} ${why}. Restore another one.`, { cause: error });
  }
}
