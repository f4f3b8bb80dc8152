import { readFile, stat } from 'node:fs/promises';

/**
 * Throws if there is something else than a file: a device or a pipe, to which an altered backup may link, has no end.
 */
export async function requireRegularFile(file: string): Promise<void> {
  if (!(await stat(file)).isFile()) throw new Error(`${file} is not a file.`);
}

/** The content of a file, and of nothing else. */
export async function readRegularFile(file: string): Promise<Buffer> {
  await requireRegularFile(file);
  return readFile(file);
}
