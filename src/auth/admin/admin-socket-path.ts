import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** macOS allows 103 bytes, Linux 107; the socket is first created under a name that is 12 bytes longer. */
const MAX_BYTES = 90;

/**
 * Returns the address of the gateway's admin socket: DATA_DIR/control.sock; where that is too long for a socket, a name
 * derived from it in a private folder below the system's temporary one; on Windows, a named pipe.
 */
export function adminSocketPath(dataDir: string): string {
  const folder = realpathSync(dataDir);
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 24);
  if (process.platform === 'win32') return `\\\\.\\pipe\\parley-${name}`;
  const inFolder = path.join(folder, 'control.sock');
  return Buffer.byteLength(inFolder) <= MAX_BYTES ? inFolder : path.join(privateTemporaryFolder(), `${name}.sock`);
}

/** Others can write to the temporary folder: a folder that one of them created must not be mistaken for ours. */
function privateTemporaryFolder(): string {
  const uid = process.getuid?.();
  const folder = path.join(tmpdir(), `parley-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || stats.uid !== uid || (stats.mode & 0o077) !== 0) {
    throw new Error(`${folder} must be a folder that only the user running the gateway can use: remove it.`);
  }
  return folder;
}
