import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { fillDataFolder } from './data-folder.ts';
import { testDatabase } from './database.ts';
import { type GatewayProcess, startGateway } from './gateway-process.ts';
import type { KillPoint } from './kill-points.ts';

/** Where gateways live and are killed: on one database, one process after the other when it is embedded. */
export type KillWorld = {
  handle: DatabaseHandle;
  env: NodeJS.ProcessEnv;
  start(): Promise<GatewayProcess>;
  /** The next gateway: on PostgreSQL one that runs beside the other, on the embedded database one after the other. */
  starting(): Promise<GatewayProcess> | null;
  /** Looks into the database when no gateway is there any more. */
  withDatabase<T>(work: (database: DatabaseHandle) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** `more` is added to the environment of the gateways, which have the demo workspace. */
export async function openKillWorld(more: NodeJS.ProcessEnv): Promise<KillWorld> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-kill-'));
  const handle = await testDatabase();
  if (handle.kind === 'embedded') await fillDataFolder(dataDir);
  const { connectionString } = handle.pool.options as { connectionString?: string };
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...(handle.kind === 'postgres' && { DATABASE_URL: connectionString ?? '' }),
    NODE_COMPILE_CACHE: 'node_modules/.cache/node',
    DATA_DIR: dataDir,
    DEMO: 'true',
    PORT: '0',
    LOG_LEVEL: 'silent',
    ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    ...more,
  };
  const gateways: GatewayProcess[] = [];
  const start = async () => {
    // On a busy machine the database may be too slow; retry the start, as a supervisor would.
    const startUp = (tries: number): Promise<GatewayProcess> =>
      startGateway(env).catch((error: unknown) => {
        if (tries === 1) throw error;
        return startUp(tries - 1);
      });
    const gateway = await startUp(8);
    gateways.push(gateway);
    return gateway;
  };
  return {
    handle,
    env,
    start,
    starting: () => (handle.kind === 'postgres' ? start() : null),
    async withDatabase(work) {
      const database = handle.kind === 'postgres' ? handle : await openDatabase({ databaseUrl: null, dataDir });
      try {
        return await work(database);
      } finally {
        if (database !== handle) await database.close();
      }
    },
    async close() {
      await Promise.all(gateways.map((gateway) => gateway.kill()));
      await handle.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A random place to die at: a statement among so many, or a moment within so many milliseconds. */
export async function endAtRandom(
  gateway: GatewayProcess,
  random: () => number,
  work: () => Promise<unknown>,
  { statements = 110, ms = 150 } = {},
): Promise<void> {
  const when = (['before', 'sent', 'after'] as const)[Math.floor(random() * 3)] as KillPoint['when'];
  if (random() < 0.75) gateway.arm({ statements: 1 + Math.floor(random() * statements), when });
  else setTimeout(() => void gateway.kill(), random() * ms);
  await work();
  await gateway.kill();
}
