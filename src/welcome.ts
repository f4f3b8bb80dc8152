import path from 'node:path';
import type { Config } from './config.ts';

/** Tells a person where everything is. */
export function announce(config: Config, url: string): void {
  const data = config.databaseUrl ? `PostgreSQL at ${hostOf(config.databaseUrl)}` : path.resolve(config.dataDir);
  const lines = [
    '',
    `Parley is ready at ${url}`,
    '',
    `  GraphiQL        ${url}/graphql`,
    `  REST reference  ${url}/reference`,
    `  Data            ${data}`,
    `  Model           ${config.model ? config.model.name : 'embedded: quotes what it finds; set MODEL_BASE_URL for another'}`,
    '  A token         npm run --silent token',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Host and database of a connection string, without its user and password. */
function hostOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}
