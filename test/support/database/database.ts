import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type DatabaseHandle, handleOf, openDatabase } from '../../../src/database/client.ts';
import { configureDatabase } from '../../../src/database/layout/distribute.ts';
import { openEmbedded } from '../../../src/database/pglite/embedded.ts';
import { readTemplate, type TemplateName } from '../../../src/database/pglite/template.ts';
import { isCluster, serversOf } from './cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The migrated, empty template from test/support/global-setup.ts. `run` marks the copies of one run. */
    template: { kind: 'embedded' } | { kind: 'postgres'; url: string; name: string; run: string };
  }
}

/** Read once by each process. */
const dumps = new Map<TemplateName, ReturnType<typeof readTemplate>>();

/**
 * A migrated, empty database for one test; `close` drops it. On PGlite, or on the PostgreSQL server of
 * TEST_DATABASE_URL if that is set.
 */
export async function testDatabase(): Promise<DatabaseHandle> {
  const template = inject('template');
  if (template.kind === 'postgres') return copyDatabase(template.url, template.name, template.run);
  return embeddedDatabase('empty');
}

/** A database in memory that begins with a template. */
export async function embeddedDatabase(name: TemplateName): Promise<DatabaseHandle> {
  const dump = dumps.get(name) ?? readWhole(name);
  dumps.set(name, dump);
  const embedded = await openEmbedded({ dataDir: 'memory', template: () => dump });
  return handleOf('embedded', embedded.pool, 'join', embedded.close);
}

/** In memory of its own size, which each database is made from without a copy. */
async function readWhole(name: TemplateName): ReturnType<typeof readTemplate> {
  const dump = await readTemplate(name);
  return dump && Buffer.from(new Uint8Array(dump).buffer);
}

async function copyDatabase(url: string, template: string, run: string): Promise<DatabaseHandle> {
  const name = `${run}_${randomBytes(4).toString('hex')}`;
  for (const server of serversOf(url)) {
    await onServer(server, async (client) => {
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      if (isCluster) await configureDatabase(client, name);
    });
  }
  const handle = await openDatabase({ databaseUrl: withDatabase(url, name), dataDir: '' });
  return {
    ...handle,
    async close() {
      await handle.close();
      for (const server of serversOf(url)) {
        await onServer(server, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
      }
    },
  };
}

/** Runs `work` on a separate connection to the database of a pool on a server, without the gateway's time limits. */
export async function withoutLimits<T>(
  pool: DatabaseHandle['pool'],
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const { rows } = await pool.query<{ name: string }>('SELECT current_database() AS name');
  return onServer(withDatabase(process.env.TEST_DATABASE_URL ?? '', rows[0]?.name ?? ''), work);
}

/** Runs `work` on a separate connection to a server. */
export async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The same server, another database. */
export function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/** A statement that reached the database, with its values. */
export type RecordedStatement = { text: string; values: unknown[] };

/** Runs `work`; returns its result, every statement that reached the database meanwhile, and the texts. */
export async function statementsOf<T>(
  work: () => Promise<T>,
): Promise<{ result: T; recorded: RecordedStatement[]; statements: string[] }> {
  const recorded: RecordedStatement[] = [];
  const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
  const { query } = prototype;
  prototype.query = function (...args: unknown[]) {
    const [first, second] = args;
    const { text, values } =
      typeof first === 'string' ? { text: first, values: second } : (first as Partial<RecordedStatement>);
    recorded.push({ text: text ?? '', values: Array.isArray(values) ? values : [] });
    return query.apply(this, args);
  };
  try {
    const result = await work();
    return { result, recorded, statements: recorded.map(({ text }) => text) };
  } finally {
    prototype.query = query;
  }
}
