import { createHash } from 'node:crypto';
import pg from 'pg';
import { lockNames } from '../database/advisory.ts';
import { type DatabaseHandle, transact } from '../database/client.ts';

/** Vectors that are comparable: those of one model and one length. */
export type Space = { model: string; dimensions: number };

const oldest = [0, 8];

/**
 * Installs pgvector, which no migration requires. Returns why that is impossible, or null. Throws if the database
 * cannot be reached.
 */
export async function prepareVectors({ pool }: Pick<DatabaseHandle, 'pool'>): Promise<string | null> {
  const { rows } = await pool.query<{ installed: string | null; available: string | null }>(
    `SELECT installed_version AS installed, default_version AS available
     FROM pg_available_extensions WHERE name = 'vector'`,
  );
  const version = rows[0]?.installed ?? rows[0]?.available;
  if (!version) return 'the database server has no pgvector: install its package (postgresql-<version>-pgvector)';
  if (!isRecent(version)) return `the pgvector of the database is ${version}: 0.8 or newer is needed`;
  if (rows[0]?.installed) return null;
  try {
    await pool.query('CREATE EXTENSION IF NOT EXISTS vector');
    return null;
  } catch (error) {
    // Another replica may have created it at the same time.
    const made = await pool.query(`SELECT FROM pg_extension WHERE extname = 'vector'`);
    return made.rowCount ? null : `pgvector could not be made an extension of the database: ${reasonOf(error)}`;
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor = 0, minMinor = 0] = oldest;
  return major > minMajor || (major === minMajor && minor >= minMinor);
}

/** SQL for the vectors of a space as they are compared: half precision is good enough and takes half the space. */
export const vectorOf = ({ dimensions }: Space): string => `("embedding"::halfvec(${dimensions}))`;

/** SQL condition for the embeddings of a space. Literals, since a partial index matches no parameters. */
export const inSpace = ({ model, dimensions }: Space): string =>
  `"model" = ${pg.escapeLiteral(model)} AND "dimensions" = ${dimensions}`;

const prefix = 'PassageEmbedding_near_';
const prefixOf = (model: string): string =>
  `${prefix}${createHash('sha256').update(model).digest('hex').slice(0, 16)}_`;
const indexOf = ({ model, dimensions }: Space): string => `${prefixOf(model)}${dimensions}`;

/**
 * Creates the HNSW index of a space if it is missing. It is not part of the migrations, since it needs pgvector and the
 * length of the model's vectors. At that time there are few rows: those written before the length was known.
 */
export async function indexSpace({ client }: Pick<DatabaseHandle, 'client'>, space: Space): Promise<void> {
  await transact(client, async (tx) => {
    await lockNames(tx, [prefix]);
    await tx.$executeRawUnsafe(
      `CREATE INDEX IF NOT EXISTS "${indexOf(space)}" ON "PassageEmbedding"
       USING hnsw (${vectorOf(space)} halfvec_cosine_ops) WHERE ${inSpace(space)}`,
    );
  });
}

/** Drops the indexes of all other models, which are no longer searched. */
export async function dropOtherSpaces({ client }: Pick<DatabaseHandle, 'client'>, model: string): Promise<void> {
  const rows = await client.$queryRaw<{ name: string }[]>`
    SELECT indexname AS name FROM pg_indexes
    WHERE schemaname = current_schema() AND tablename = 'PassageEmbedding'
      AND starts_with(indexname, ${prefix}) AND NOT starts_with(indexname, ${prefixOf(model)})`;
  if (rows.length === 0) return;
  await transact(client, async (tx) => {
    await lockNames(tx, [prefix]);
    for (const { name } of rows) await tx.$executeRawUnsafe(`DROP INDEX IF EXISTS "${name}"`);
  });
}
