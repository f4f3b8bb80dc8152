import { chmodSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';

/** `tightened`: it was open to other users of the machine and is not any more. `open`: it still is. */
export type FolderNotice = { kind: 'tightened' | 'open'; message: string };

/** What the gateway puts into a data folder; names that begin with a dot are of nobody's concern. */
const ownNames =
  /^(?:postgres|postgres\.(?:unfinished|synced)|files|lock|lock-journal|lock\.pid|control\.sock|encryption\.key.*)$/;
const ignoredNames = /^(?:\..*|lost\+found)$/;

/** Makes a folder, and those above it that are missing, for this user alone. */
export const makePrivateFolder = (folder: string): unknown => mkdirSync(folder, { recursive: true, mode: 0o700 });

/**
 * Sees to it that only the user who runs the gateway can use a data folder, if it is there. A wider one is tightened, with
 * what is in it, where it is this user's and the gateway's alone; what stays open to others is told.
 */
export function protectFolder(folder: string): FolderNotice[] {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return [];
  if (process.platform === 'win32') return [stillOpen(folder, 'Windows gives it the rights of the folder above it')];
  const names = readdirSync(folder);
  const isShared = names.some((name) => !ownNames.test(name) && !ignoredNames.test(name));
  // Above all /tmp: what others use too is not ours to close.
  const why = isShared || stats.mode & 0o1000 ? 'it holds more than the data of the gateway' : null;
  const own = names.filter((name) => ownNames.test(name)).map((name) => path.join(folder, name));
  if (!isWide(stats)) return [];
  // The folder comes last: a start that is cut short begins anew with all that is in it.
  const failures = own.map(tightenTree).filter((failure) => failure !== null);
  const failure = why ?? tighten(folder, stats) ?? failures[0];
  if (failure) return [stillOpen(folder, failure)];
  const was = modeOf(stats);
  return [{ kind: 'tightened', message: `DATA_DIR: ${folder} was open to other users (mode ${was}) and is now 0700` }];
}

const stillOpen = (folder: string, why: string): FolderNotice => ({
  kind: 'open',
  message: `DATA_DIR: other users of this machine may read ${folder}, and its mode could not be made 0700: ${why}`,
});

const isWide = (stats: Stats) => !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0;
const modeOf = (stats: Stats) => `0${(stats.mode & 0o7777).toString(8)}`;

/** What keeps a file or folder, or something in it, from being tightened; null when nothing did. */
function tightenTree(file: string): string | null {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return null;
  const inside = stats.isDirectory() ? readdirSync(file).map((name) => tightenTree(path.join(file, name))) : [];
  return inside.find((failure) => failure !== null) ?? (isWide(stats) ? tighten(file, stats) : null);
}

function tighten(file: string, { mode, uid }: Stats): string | null {
  if (uid !== process.getuid?.()) return `${file} belongs to another user (${uid})`;
  try {
    chmodSync(file, mode & 0o700);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  // Some file systems take a mode and do not keep it.
  return isWide(statSync(file)) ? `the file system of ${file} keeps no modes` : null;
}
