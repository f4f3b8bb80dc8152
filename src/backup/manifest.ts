import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { parsedJson } from '../core/json.ts';
import { syncNames, syncTree } from '../core/sync/sync-file.ts';
import { readRegularFile } from './regular-file.ts';

/** Raised when an older version could not read what a newer one writes. */
const formatVersion = 1;

const table = z.object({
  /** Also of a file. */
  name: z.string().regex(/^\w+$/),
  columns: z.array(z.string()),
  rows: z.number().int().nonnegative(),
  /** Of the rows, in any order: see `RowHash`. */
  hash: z.string(),
});

/** A list in which no name is twice: what it names would be read, and counted, twice. */
const named = <Item extends z.ZodType<{ name: string }>>(item: Item) =>
  z
    .array(item)
    .refine((items) => new Set(items.map(({ name }) => name)).size === items.length, 'must name each only once');

const manifest = z.object({
  format: z.literal(formatVersion),
  id: z.string(),
  createdAt: z.iso.datetime(),
  database: z.enum(['embedded', 'postgres']),
  migrations: named(z.object({ name: z.string(), checksum: z.string() })),
  tables: named(table),
  sequences: named(z.object({ name: z.string(), value: z.string().nullable() })),
  files: z.object({
    count: z.number().int(),
    bytes: z.number().int(),
    /** Storage keys of files that were deleted while the backup was made. */
    missing: z.array(z.string()),
  }),
  /** Of everything else, see `checksumOf`. Backups of older versions have none. */
  checksum: z.string().optional(),
});

export type Manifest = z.infer<typeof manifest>;

const manifestOf = (folder: string): string => path.join(folder, 'manifest.json');
export const tableFileOf = (folder: string, name: string): string => path.join(folder, 'tables', `${name}.copy.gz`);
/**
 * Where the file of an attachment is. Throws if the hash, which a changed backup may name, is not one: it is a path.
 */
export function fileOf(folder: string, hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`${JSON.stringify(hash)} is not the hash of a file.`);
  return path.join(folder, 'files', hash.slice(0, 2), hash);
}
/** Where the running embedded database is copied to before its rows are read; removed at the end. */
export const scratchOf = (folder: string): string => path.join(folder, 'scratch');

/** Creates the folder of a backup. Throws if it has content: a backup is never overwritten. */
export async function createBackupFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (existsSync(manifestOf(folder)))
    throw new Error(`${folder} has a backup, which is not overwritten: name another folder.`);
  if ((await readdir(folder)).length > 0) {
    throw new Error(
      `${folder} is not empty, and is not overwritten. If it is from an interrupted backup (it has no manifest.json), remove it; or name another folder.`,
    );
  }
  await mkdir(path.join(folder, 'tables'), { mode: 0o700 });
  await mkdir(path.join(folder, 'files'), { mode: 0o700 });
}

/** The SHA-256 in hex of a manifest without its checksum: finds values that were altered, however it is spaced. */
export const checksumOf = ({ checksum: _, ...content }: Record<string, unknown>): string =>
  hash('sha256', JSON.stringify(content));

/** Completes a backup: without this file, which appears at once, a folder is not a backup. */
export async function writeManifest(folder: string, content: Omit<Manifest, 'format' | 'checksum'>): Promise<Manifest> {
  await syncTree(folder);
  const unsigned = { format: formatVersion, ...content } as const;
  const whole = { ...unsigned, checksum: checksumOf(unsigned) };
  const draft = `${manifestOf(folder)}.draft`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(whole, null, 1)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, manifestOf(folder));
  syncNames(folder);
  return whole;
}

/**
 * Throws if the folder has no complete backup, one of a newer format, or one whose manifest does not match its
 * checksum.
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readRegularFile(manifestOf(folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(`${folder} is not a complete backup: it has no manifest.json, which is written last.`);
  });
  const json = parsedJson(text.toString());
  const { success, data, error } = manifest.safeParse(json);
  if (!success) {
    throw new Error(`${manifestOf(folder)} is damaged, or was written by a newer version: ${z.prettifyError(error)}`);
  }
  // Of what was read, since the parsed one lacks what this version does not know.
  if (data.checksum !== undefined && data.checksum !== checksumOf(json as Record<string, unknown>)) {
    throw new Error(
      `${manifestOf(folder)} is damaged: its content does not match its checksum. Restore from another copy of the backup.`,
    );
  }
  return data;
}
