import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../gateway/free-port.ts';

/** Settings of `postgres -c`. */
export type Settings = Record<string, string | number>;

/** A separate PostgreSQL server on its own port. */
export type Cluster = {
  folder: string;
  port: number;
  url(database?: string): string;
  start(settings?: Settings): Promise<void>;
  /** SIGKILL acts as a crash, SIGQUIT is immediate, SIGINT is orderly but does not wait for clients. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  isRunning(): boolean;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[], database?: string): Promise<Row[]>;
};

/** The folder of PostgreSQL's programs; null if there is none. */
export const programs: string | null = findPrograms();

function findPrograms(): string | null {
  const versions = '/usr/lib/postgresql';
  const packaged = existsSync(versions) ? readdirSync(versions).map((name) => path.join(versions, name, 'bin')) : [];
  const folders = [...packaged.toSorted().toReversed(), ...(process.env.PATH ?? '').split(':')];
  return folders.find((folder) => existsSync(path.join(folder, 'initdb'))) ?? null;
}

/** PostgreSQL refuses to run as root, so root runs it as `postgres` or `nobody`. */
const user = process.getuid?.() === 0 ? (userOf('postgres') ?? userOf('nobody')) : null;

function userOf(name: string): { uid: number; gid: number } | null {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null;
  }
}

const program = (name: string): string => path.join(programs ?? '', name);

/** Runs one of PostgreSQL's programs to its end. */
const runProgram = (name: string, args: string[]) => promisify(execFile)(program(name), args, { ...user, cwd: '/' });

/** Creates the files of a server in a new folder. */
export async function initCluster(folder: string): Promise<Cluster> {
  makeOwn(folder);
  const given = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  await runProgram('initdb', ['-D', folder, ...given]);
  return clusterIn(folder);
}

/** A copy of a stopped server. */
export async function copyCluster(from: Cluster, folder: string): Promise<Cluster> {
  makeOwn(folder);
  execFileSync('cp', ['-a', `${from.folder}/.`, folder]);
  return clusterIn(folder);
}

/** A standby of a running server. `through` is a port to reach it instead of its own. */
export async function standbyOf(primary: Cluster, folder: string, name: string, through?: number): Promise<Cluster> {
  makeOwn(folder);
  const address = `host=127.0.0.1 port=${through ?? primary.port} user=postgres application_name=${name}`;
  await runProgram('pg_basebackup', [
    '-D',
    folder,
    '-d',
    address,
    '-R',
    '-X',
    'stream',
    '--checkpoint=fast',
    '--no-sync',
  ]);
  return clusterIn(folder);
}

/** Only the user who runs the server may access the folder. */
function makeOwn(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  if (user) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o700);
}

async function clusterIn(folder: string): Promise<Cluster> {
  const port = await freePort();
  let child: ChildProcess | null = null;
  let exited: Promise<unknown> = Promise.resolve();
  const fixed: Settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port, max_connections: 200 };
  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null;
  const url = (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const cluster: Cluster = {
    folder,
    port,
    url,
    isRunning,
    async start(settings = {}) {
      const args = Object.entries({ ...fixed, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const deadline = Date.now() + 60_000;
      while (Date.now() < deadline) {
        child = spawn(program('postgres'), ['-D', folder, ...args], { ...user, cwd: '/', stdio: 'ignore' });
        exited = once(child, 'exit');
        while (isRunning() && Date.now() < deadline) {
          if (await answers(url())) return;
          await sleep(30);
        }
        // Processes of the killed server may still hold its shared memory.
        await sleep(100);
      }
      throw new Error(`The PostgreSQL in ${folder} did not start.`);
    },
    async stop(signal = 'SIGINT') {
      if (isRunning()) child?.kill(signal);
      await exited;
    },
    async query(text, values, database) {
      const client = new pg.Client({ connectionString: url(database) });
      client.on('error', () => {});
      await client.connect();
      try {
        return (await client.query(text, values)).rows;
      } finally {
        await client.end();
      }
    },
  };
  return cluster;
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Stops the server, and removes its files. */
export async function removeCluster(cluster: Cluster): Promise<void> {
  await cluster.stop('SIGQUIT');
  rmSync(cluster.folder, { recursive: true, force: true });
}
