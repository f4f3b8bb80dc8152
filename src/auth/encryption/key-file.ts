import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { syncNames } from '../../core/sync/sync-file.ts';
import { type EncryptionKey, fingerprint, parseKeys, printKey } from './encryption-keys.ts';

const fileComment =
  '# Encrypts the secrets in the database. Without it they cannot be read: keep a copy in a safe place.';

/** The path of the key file in the data folder. */
export const keyFileOf = (dataDir: string): string => path.join(dataDir, 'encryption.key');

/** Returns the keys of the data folder, the encrypting one first; null if there is no key file. */
export async function readKeyFile(dataDir: string): Promise<EncryptionKey[] | null> {
  const file = keyFileOf(dataDir);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const lines = text?.split('\n').filter((line) => line.trim() && !line.startsWith('#'));
  return lines ? parseKeys(lines, file) : null;
}

/** Reads the key file, creating it if there is none. Concurrent processes all get the same key. */
export async function readOrCreateKeyFile(dataDir: string): Promise<EncryptionKey[]> {
  const found = await readKeyFile(dataDir);
  if (found) return found;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = await writeDraft(dataDir, [newKey()]);
  // Creating a hard link is atomic and never replaces an existing file.
  await link(draft, keyFileOf(dataDir)).catch((error) => createWithoutLinks(error, draft, keyFileOf(dataDir)));
  await rm(draft, { force: true });
  syncNames(dataDir);
  const created = await readKeyFile(dataDir);
  if (!created) throw new Error(`${keyFileOf(dataDir)} vanished while it was being made`);
  return created;
}

/** Replaces the key file atomically. */
export async function writeKeyFile(dataDir: string, keys: EncryptionKey[]): Promise<void> {
  await rename(await writeDraft(dataDir, keys), keyFileOf(dataDir));
  syncNames(dataDir);
}

export function newKey(): EncryptionKey {
  const bytes = randomBytes(32);
  return { id: fingerprint(bytes), bytes };
}

async function writeDraft(dataDir: string, keys: EncryptionKey[]): Promise<string> {
  const draft = `${keyFileOf(dataDir)}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile([fileComment, ...keys.map(printKey), ''].join('\n'));
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

/** For file systems without hard links: an exclusive create is the next best. */
async function createWithoutLinks(error: NodeJS.ErrnoException, draft: string, file: string): Promise<void> {
  if (error.code === 'EEXIST') return;
  const text = await readFile(draft, 'utf8');
  await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch((linkError: NodeJS.ErrnoException) => {
    if (linkError.code !== 'EEXIST') throw linkError;
  });
}
