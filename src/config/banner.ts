import path from 'node:path';
import type { Config } from './config.ts';

/**
 * Prints where everything is. `address` is the one-time URL that opens GraphiQL with a token; null if there is none.
 */
export function announce(config: Config, url: string, address: string | null): void {
  const data = config.databaseUrl ? `PostgreSQL at ${hostOf(config.databaseUrl)}` : path.resolve(config.dataDir);
  const lines = [
    '',
    `Parley is ready at ${url}`,
    '',
    `  GraphiQL        ${address ?? `${url}/graphql`}`,
    `  REST reference  ${url}/reference`,
    `  Data            ${data}`,
    `  Model           ${modelOf(config)}`,
    `  A token         npm run --silent token${config.demo ? '' : ' -- --workspace wsp_…'}`,
    ...(address
      ? [
          '',
          '  The GraphiQL address signs in one browser, once, within 15 minutes. Get a new one with: npm run --silent open',
        ]
      : []),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function modelOf({ models }: Config): string {
  if (models.list.length === 0) return 'embedded: quotes what it finds; set MODEL_BASE_URL or MODELS for another';
  const others = models.list.map(({ name }) => name).filter((name) => name !== models.default);
  return others.length > 0 ? `${models.default}; agents may choose ${others.join(', ')}` : models.default;
}

/** Host and database of a connection string, without user and password. */
function hostOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}
