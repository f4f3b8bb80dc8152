import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { CopyDatabase } from '../database/copy/session.ts';
import type { Storage } from '../storage/types.ts';
import { readFileRows, restoreFiles } from './files.ts';
import { fill, openFilled } from './fill.ts';
import { type Manifest, readManifest, tableFileOf } from './manifest.ts';
import { requireRegularFile } from './regular-file.ts';

type RestoreOptions = {
  folder: string;
  target: CopyDatabase;
  storage: Storage;
  onStep: (text: string) => void;
};

/**
 * Restores a backup into an empty database and storage, then applies newer migrations. After an interruption, call it
 * again. Throws if the backup is incomplete or damaged, or if the database has data.
 */
export async function restoreBackup({ folder, target, storage, onStep }: RestoreOptions): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const { id, migrations, sequences, checksum } = manifest;
  if (checksum === undefined)
    onStep(
      'Warning: the backup is of an older version, and its manifest has no checksum: changes to it cannot be detected.',
    );
  const tables = manifest.tables.map(({ name, columns, ...expected }) => ({
    name,
    columns,
    expected,
    read: () => readTableFile(folder, name),
  }));
  await fill({ target, source: { id, migrations, tables, sequences }, onStep });
  onStep('Copying the files of attachments');
  await restoreFiles(folder, manifest.files, await target.session(readFileRows), storage);
  onStep('Applying newer migrations');
  await openFilled(target);
  return manifest;
}

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
