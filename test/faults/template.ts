import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { openSecrets } from '../../src/auth/encryption/secrets.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Services } from '../../src/context.ts';
import type { Viewer } from '../../src/core/viewer.ts';
import { openDatabase } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createLog } from '../../src/http/log/request-log.ts';
import { createServices } from '../../src/services.ts';
import { foldName } from '../../src/text/fold.ts';
import { initCluster, removeCluster } from '../support/database/postgres-cluster.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';
import type { DatabaseName, House, Template } from './types.ts';

export const databaseName = 'parley';

/** Settings of all gateways, without the machine's own settings of the same names. */
export const baseEnv = (log: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_COMPILE_CACHE: 'node_modules/.cache/node',
  ...(process.env.COMPILED_QUERIES && { COMPILED_QUERIES: process.env.COMPILED_QUERIES }),
  DEMO: 'false',
  PORT: '0',
  LOG_LEVEL: log,
  FETCH_ALLOW_HOSTS: '127.0.0.1',
  ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
});

/** Makes a migrated database with two workspaces in it. */
export async function makeTemplate(database: DatabaseName, scratch: string, log: string): Promise<Template> {
  const folder = path.join(scratch, `template-${database}`);
  const env = baseEnv(log);
  if (database === 'embedded') {
    mkdirSync(folder);
    return { env, cluster: null, folder, houses: await furnish({ ...env, DATA_DIR: folder }, makeHouses) };
  }
  const cluster = await initCluster(folder);
  await cluster.start();
  await cluster.query(`CREATE DATABASE ${databaseName}`);
  const given = { ...env, DATABASE_URL: cluster.url(databaseName), DATA_DIR: scratch };
  const houses = await furnish(given, makeHouses);
  await cluster.stop();
  return { env, cluster, folder, houses };
}

export const removeTemplate = async ({ cluster }: Template): Promise<void> =>
  cluster ? removeCluster(cluster) : undefined;

/** Runs `work` on a database that no gateway uses. */
export async function furnish<T>(env: NodeJS.ProcessEnv, work: (services: Services) => Promise<T>): Promise<T> {
  const config = readConfig({ ...env, LOG_LEVEL: 'silent' });
  const handle = await openDatabase(config);
  try {
    await migrate(handle);
    const secrets = await openSecrets({ ...config, handle });
    const services = createServices({ config, handle, secrets, log: createLog(config.logLevel) });
    try {
      return await work(services);
    } finally {
      await services.queue.close();
    }
  } finally {
    await handle.close();
  }
}

const makeHouses = async (services: Services): Promise<[House, House]> => [
  await makeHouse(services),
  await makeHouse(services),
];

/** Creates a workspace in an empty database. */
export const furnishHouse = (env: NodeJS.ProcessEnv): Promise<House> => furnish(env, makeHouse);

async function makeHouse(services: Services): Promise<House> {
  const { database, pool } = services;
  const { id: workspaceId, owner } = await makeWorkspace({ handle: { pool }, services }, 100_000_000);
  const agentId = newId('agent');
  const name = 'Receptionist';
  const createdBy = owner.userId ?? '';
  await database.agent.create({
    data: {
      id: agentId,
      workspaceId,
      name,
      searchText: foldName(name),
      status: 'active',
      createdBy,
      updatedBy: createdBy,
    },
  });
  return { workspaceId, agentId, token: await bearerOf(services, owner) };
}

/** A token of a member, for a day. */
export function bearerOf({ tokens }: Services, { workspaceId, userId, membershipId }: Viewer): Promise<string> {
  const claims = { workspaceId, userId: userId ?? '', membershipId: membershipId ?? '', role: 'owner' as const };
  return tokens.sign({ ...claims, credential: 'person' }, 86_400);
}
