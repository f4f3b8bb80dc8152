import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncContent, syncNames } from '../../core/sync/sync-file.ts';

const markOf = (dataDir: string): string => join(dataDir, 'postgres.moved');

/** The target that an embedded database was moved to; null if it was not. */
export function readFolderMark(dataDir: string): string | null {
  const file = markOf(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

/** No gateway starts on the folder any longer. */
export function markFolder(dataDir: string, target: string): void {
  writeFileSync(markOf(dataDir), `${target}\n`, { mode: 0o600 });
  syncContent(markOf(dataDir));
  syncNames(dataDir);
}

export const movedMessage = (dataDir: string, target: string): string =>
  `The data of ${dataDir} was moved to ${target}: use that. To use this folder again, without what was written since, remove ${markOf(dataDir)}`;
