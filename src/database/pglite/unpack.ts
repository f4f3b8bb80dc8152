import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A header of a tar file, and what it is followed by, fill whole blocks. */
const blockSize = 512;
/** The fields of a header that PGlite sets: https://www.gnu.org/software/tar/manual/html_node/Standard.html */
const fields = { name: [0, 100], size: [124, 136], type: [156, 157] } as const;

/** Writes the files and folders of a dump, a tar file, into `folder`. Only their owner may access them. */
export function unpack(dump: Buffer, folder: string): void {
  for (let start = 0; start + blockSize <= dump.length && dump[start] !== 0; ) {
    const header = dump.subarray(start, start + blockSize);
    const textOf = (field: keyof typeof fields) =>
      /^[^\0]*/.exec(header.toString('latin1', ...fields[field]))?.[0] ?? '';
    const path = join(folder, textOf('name'));
    const size = Number.parseInt(textOf('size'), 8);
    const content = start + blockSize;
    if (textOf('type') === '5') mkdirSync(path, { recursive: true, mode: 0o700 });
    else writeFileSync(path, dump.subarray(content, content + size), { mode: 0o600 });
    start = content + Math.ceil(size / blockSize) * blockSize;
  }
}
