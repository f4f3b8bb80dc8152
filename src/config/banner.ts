import path from 'node:path';
import type { Logger } from 'pino';
import { serverName } from '../core/server-urls.ts';
import type { Config } from './config.ts';

type Announcement = {
  config: Config;
  url: string;
  /** Creates the one-time URL that opens GraphiQL with a token; null if there is none. */
  makeAddress: (() => string | Promise<string>) | null;
  log: Logger;
  /** Whether a person reads standard output. */
  isTerminal?: boolean;
};

/**
 * Says where everything is: as text on a terminal, otherwise as a line of the log, whatever its level. The log gets no
 * one-time URL, since that signs its reader in, but the command that makes one.
 */
export async function announce({ config, url, makeAddress, log, isTerminal = process.stdout.isTTY }: Announcement) {
  const data = config.databaseUrl ? `PostgreSQL at ${serverName(config.databaseUrl)}` : path.resolve(config.dataDir);
  const { workers } = config;
  const addresses: Addresses = {
    url,
    graphiql: `${url}/graphql`,
    reference: `${url}/reference`,
    docs: `${url}/docs`,
    dashboards: `${url}/dashboards`,
    data,
    model: modelOf(config),
  };
  if (workers > 1) addresses.workers = workers;
  if (isTerminal) return print(textOf(addresses, (await makeAddress?.()) ?? null, config.demo));
  // Whom signals are for.
  const signIn = makeAddress ? openCommand : tokenCommand(config.demo);
  log.child({}, { level: 'info' }).info({ ...addresses, signIn, pid: process.pid }, 'Parley is ready');
}

const openCommand = 'npm run --silent open';
const tokenCommand = (isDemo: boolean) => `npm run --silent token${isDemo ? '' : ' -- --workspace wsp_…'}`;

const print = (text: string): void => void process.stdout.write(text);

type Addresses = Record<'url' | 'graphiql' | 'reference' | 'docs' | 'dashboards' | 'data' | 'model', string> & {
  workers?: number;
};

function textOf(
  { url, graphiql, reference, docs, dashboards, data, model, workers }: Addresses,
  address: string | null,
  isDemo: boolean,
): string {
  const lines = [
    `Parley is ready at ${url}`,
    `  GraphiQL    ${address ?? graphiql}`,
    ...(address ? [`              works once, in one browser, for 15 minutes; a new one: ${openCommand}`] : []),
    `  Reference   ${reference}`,
    `  Docs        ${docs}`,
    `  Dashboards  ${dashboards}`,
    `  A token     ${tokenCommand(isDemo)}`,
    `  Data        ${data}`,
    `  Model       ${model}`,
    ...(workers ? [`  Workers     ${workers}; kill -USR2 ${process.pid} restarts them one after the other`] : []),
    '  To stop     Ctrl-C',
  ];
  return `${lines.join('\n')}\n`;
}

function modelOf({ models }: Config): string {
  if (models.list.length === 0) return 'embedded: quotes what it finds; set MODEL_BASE_URL or MODELS for another';
  const others = models.list.map(({ name }) => name).filter((name) => name !== models.default);
  return others.length > 0 ? `${models.default}; agents may choose ${others.join(', ')}` : models.default;
}
