import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { type DatabaseHandle, openDatabase } from '../../../src/database/client.ts';
import { fillDataFolder } from '../database/data-folder.ts';
import { testDatabase } from '../database/database.ts';
import { fillWithDemo } from '../gateway/demo-folder.ts';
import { type GatewayProcess, startGateway } from '../gateway/gateway-process.ts';
import type { KillPoint } from './kill-points.ts';

/** A database on which gateways run and are killed; if embedded, one process at a time. */
export type KillWorld = {
  /** The database of the server; null if it is embedded, where only the process on its folder has one. */
  handle: DatabaseHandle | null;
  env: NodeJS.ProcessEnv;
  start(): Promise<GatewayProcess>;
  /** The next gateway: concurrent on PostgreSQL, one after another on the embedded database. */
  starting(): Promise<GatewayProcess> | null;
  /** Opens the database after all gateways have ended. */
  withDatabase<T>(work: (database: DatabaseHandle) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** `more` adds to the gateways' environment; they have the demo workspace, unless its DEMO is `false`. */
export async function openKillWorld(more: NodeJS.ProcessEnv): Promise<KillWorld> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-kill-'));
  const handle = inject('template').kind === 'postgres' ? await testDatabase() : null;
  if (!handle) await (more.DEMO === 'false' ? fillDataFolder(dataDir) : fillWithDemo(dataDir));
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...(handle && {
      DATABASE_URL: (handle.pool.options as { connectionString?: string }).connectionString ?? '',
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    }),
    NODE_COMPILE_CACHE: 'node_modules/.cache/node',
    DATA_DIR: dataDir,
    DEMO: 'true',
    PORT: '0',
    LOG_LEVEL: 'silent',
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
    starting: () => (handle ? start() : null),
    async withDatabase(work) {
      const database = handle ?? (await openDatabase({ databaseUrl: null, dataDir }));
      try {
        return await work(database);
      } finally {
        if (database !== handle) await database.close();
      }
    },
    async close() {
      await Promise.all(gateways.map((gateway) => gateway.kill()));
      await handle?.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Kills the gateway at a random statement, or at a random moment. */
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
