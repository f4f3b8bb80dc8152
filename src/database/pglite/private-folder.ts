import { chmodSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';

/** `tightened`: it was accessible to other users of the machine, and no longer is. `open`: it still is. */
type FolderNotice = { kind: 'tightened' | 'open'; message: string };

/** The gateway's own names in a data folder; names that begin with a dot are ignored. */
const ownNames =
  /^(?:postgres|postgres\.(?:unfinished|synced|moved)|files|lock|lock-journal|lock\.pid|control\.sock|encryption\.key.*)$/;
const ignoredNames = /^(?:\..*|lost\+found)$/;

/** Creates a folder and its missing parents, accessible to this user only. */
export const makePrivateFolder = (folder: string): unknown => mkdirSync(folder, { recursive: true, mode: 0o700 });

/**
 * Restricts an existing data folder to the user who runs the gateway. Its mode and that of its content are tightened
 * where they belong to this user and the gateway only. Returns notices of what was tightened, unless it held no data
 * yet, and of what stays accessible.
 */
export function protectFolder(folder: string): FolderNotice[] {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return [];
  if (process.platform === 'win32')
    return [stillOpen(folder, 'on Windows it inherits the permissions of its parent folder')];
  const names = readdirSync(folder);
  const isShared = names.some((name) => !ownNames.test(name) && !ignoredNames.test(name));
  // Shared folders, /tmp above all, are not ours to restrict.
  const reason = isShared || stats.mode & 0o1000 ? 'it contains more than the data of the gateway' : null;
  const ownPaths = names.filter((name) => ownNames.test(name)).map((name) => path.join(folder, name));
  if (!isWide(stats)) return [];
  // The folder comes last, so that an interrupted start begins again with everything in it.
  const failures = ownPaths.map(tightenTree).filter((failure) => failure !== null);
  const failure = reason ?? tighten(folder, stats) ?? failures[0];
  if (failure) return [stillOpen(folder, failure)];
  // Nothing was in it that others could have read, as in the volume of a new container.
  if (ownPaths.length === 0) return [];
  const was = modeOf(stats);
  return [{ kind: 'tightened', message: `DATA_DIR: ${folder} was open to other users (mode ${was}) and is now 0700` }];
}

const stillOpen = (folder: string, reason: string): FolderNotice => ({
  kind: 'open',
  message: `DATA_DIR: other users of this machine may read ${folder}, and its mode could not be made 0700: ${reason}`,
});

const isWide = (stats: Stats) => !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0;
const modeOf = (stats: Stats) => `0${(stats.mode & 0o7777).toString(8)}`;

/** Tightens a file or a folder with its content. Returns what prevented it, or null. */
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
  // Some file systems accept a mode without keeping it.
  return isWide(statSync(file)) ? `the file system of ${file} does not support file modes` : null;
}
