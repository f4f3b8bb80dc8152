import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { vi } from 'vitest';
import { freePort } from '../gateway/free-port.ts';

/** Debian installs PgBouncer in /usr/sbin. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

export const hasPgBouncer = spawnSync('pgbouncer', ['--version'], { env }).status === 0;

export type PgBouncer = {
  /** The address of a database of the server, through the pooler. */
  to(database: string): string;
  close(): Promise<void>;
};

/**
 * A PgBouncer in transaction mode with few connections, so that clients share them; it renames what they are called.
 */
export async function startPgBouncer(serverUrl: string, tries = 3): Promise<PgBouncer> {
  const { hostname, port, username, password } = new URL(serverUrl);
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-pgbouncer-'));
  const file = path.join(folder, 'pgbouncer.ini');
  const own = await freePort();
  const secret = password && ` password=${decodeURIComponent(password)}`;
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port || 5432} user=${decodeURIComponent(username)}${secret}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
application_name_add_host = 1
`,
  );
  chmodSync(folder, 0o755);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', ['-q', ...user, file], { env, stdio: 'ignore' });
  const to = (database: string) => `postgres://parley@127.0.0.1:${own}/${database}`;
  const exited = once(child, 'exit');
  const close = async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true });
  };
  const address = to(new URL(serverUrl).pathname.slice(1) || 'postgres');
  const isThere = await Promise.race([
    vi.waitFor(() => answers(address), { interval: 20, timeout: 60_000 }).then(() => true),
    exited.then(() => false),
  ]);
  if (isThere) return { to, close };
  await close();
  if (tries === 1) throw new Error('PgBouncer did not start.');
  // Another process has taken the port.
  return startPgBouncer(serverUrl, tries - 1);
}

async function answers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.end();
}
