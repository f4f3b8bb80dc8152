import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** macOS allows 103 bytes, Linux 107; the socket is first made under a name that is 12 bytes longer. */
const MAX_BYTES = 90;

/**
 * Where the gateway of a data folder listens for its operator: DATA_DIR/control.sock, or, where that is too long for a
 * socket, a name made from it in a folder of the user's own under the system's temporary folder; a pipe on Windows.
 */
export function adminSocketPath(dataDir: string): string {
  const folder = realpathSync(dataDir);
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 24);
  if (process.platform === 'win32') return `\\\\.\\pipe\\parley-${name}`;
  const beside = path.join(folder, 'control.sock');
  return Buffer.byteLength(beside) <= MAX_BYTES ? beside : path.join(ownTemporaryFolder(), `${name}.sock`);
}

/** Others may write to the temporary folder: what one of them has put there must not be taken for ours. */
function ownTemporaryFolder(): string {
  const uid = process.getuid?.();
  const folder = path.join(tmpdir(), `parley-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || stats.uid !== uid || (stats.mode & 0o077) !== 0) {
    throw new Error(`${folder} must be a folder that only the user running the gateway can use: remove it.`);
  }
  return folder;
}
