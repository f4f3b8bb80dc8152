import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { syncNames } from '../core/sync-file.ts';
import { type EncryptionKey, fingerprint, parseKeys, printKey } from './encryption-keys.ts';

const note = '# Encrypts the secrets in the database. Without it they cannot be read: keep a copy in a safe place.';

export const keyFileOf = (dataDir: string): string => path.join(dataDir, 'encryption.key');

/** The keys of the data folder, the encrypting one first; null when there is no key file. */
export async function readKeyFile(dataDir: string): Promise<EncryptionKey[] | null> {
  const file = keyFileOf(dataDir);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const lines = text?.split('\n').filter((line) => line.trim() && !line.startsWith('#'));
  return lines ? parseKeys(lines, file) : null;
}

/** Reads the key file, made now if there is none. Processes that race all get the one key that won. */
export async function readOrCreateKeyFile(dataDir: string): Promise<EncryptionKey[]> {
  const found = await readKeyFile(dataDir);
  if (found) return found;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = await writeDraft(dataDir, [newKey()]);
  // A hard link is made whole or not at all, and never over a file that is already there.
  await link(draft, keyFileOf(dataDir)).catch((error) => createWithoutLinks(error, draft, keyFileOf(dataDir)));
  await rm(draft, { force: true });
  syncNames(dataDir);
  const created = await readKeyFile(dataDir);
  if (!created) throw new Error(`${keyFileOf(dataDir)} vanished while it was being made`);
  return created;
}

/** Replaces the keys of the file at one stroke. */
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
    await file.writeFile([note, ...keys.map(printKey), ''].join('\n'));
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

/** Some file systems know no hard links; there, an exclusive create is the best there is. */
async function createWithoutLinks(error: NodeJS.ErrnoException, draft: string, file: string): Promise<void> {
  if (error.code === 'EEXIST') return;
  const text = await readFile(draft, 'utf8');
  await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch((other: NodeJS.ErrnoException) => {
    if (other.code !== 'EEXIST') throw other;
  });
}
