import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Cluster, copyCluster, removeCluster } from '../support/database/postgres-cluster.ts';
import { openTcpLink } from '../support/database/tcp-link.ts';
import { type BegunGateway, beginGateway, type GatewayProcess } from '../support/gateway/gateway-process.ts';
import { databaseName, furnish } from './template.ts';
import type { Template, Trial, World, WorldOptions } from './types.ts';

/** Copies the template, to start gateways on it. */
export async function openWorld(trial: Trial, template: Template, options: WorldOptions = {}): Promise<World> {
  const folder = options.folder ?? trial.folder;
  const cluster = template.cluster && (await openCluster(trial, template.cluster, folder, options));
  const link = cluster && options.linked ? await openTcpLink(cluster.port) : null;
  if (link) trial.after(() => link.close());
  const name = options.empty ? 'empty' : databaseName;
  const dataDir = path.join(folder, 'data');
  if (!cluster && !options.empty) cpSync(template.folder, dataDir, { recursive: true });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const env: NodeJS.ProcessEnv = {
    ...template.env,
    DATA_DIR: dataDir,
    ...(cluster && { DATABASE_URL: link ? `postgres://postgres@127.0.0.1:${link.port}/${name}` : cluster.url(name) }),
    ...options.env,
  };
  if (options.prepare) await furnish({ ...env, ...(cluster && { DATABASE_URL: cluster.url(name) }) }, options.prepare);
  // With a silent log, hide its startup messages too.
  const errors = env.LOG_LEVEL === 'silent' ? 'ignore' : 'inherit';
  const killed = new Set<string>();
  const begun = new Set<BegunGateway>();
  trial.after(() => Promise.all([...begun].map((gateway) => gateway.kill())));
  const begin: World['begin'] = ({ env: more, imports = [] } = {}) => {
    const gateway = beginGateway({ ...env, ...more }, { imports, errors });
    begun.add(gateway);
    return gateway;
  };
  return {
    env,
    house: template.houses[0],
    neighbour: template.houses[1],
    cluster,
    link,
    begin,
    start: (given) => startAtLast(() => begin(given).listening),
    async kill(gateway, signal) {
      killed.add(gateway.url);
      await gateway.kill(signal);
    },
    arm(gateway, point) {
      if (point) killed.add(gateway.url);
      else killed.delete(gateway.url);
      gateway.arm(point ?? { statements: Number.MAX_SAFE_INTEGER, when: 'sent' });
    },
    isKilled: (url) => killed.has(url),
  };
}

/** On a busy machine the database may be too slow; retry the start, as a supervisor would. */
async function startAtLast(start: () => Promise<GatewayProcess>, tries = 5): Promise<GatewayProcess> {
  return start().catch((error: unknown) => {
    if (tries === 1) throw error;
    return startAtLast(start, tries - 1);
  });
}

async function openCluster(trial: Trial, from: Cluster, folder: string, { settings, empty }: WorldOptions) {
  const cluster = await copyCluster(from, path.join(folder, 'postgres'));
  trial.after(() => removeCluster(cluster));
  await cluster.start(settings);
  if (empty) await cluster.query('CREATE DATABASE empty');
  return cluster;
}
