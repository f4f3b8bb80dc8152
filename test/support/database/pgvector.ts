import { onServer } from './database.ts';

const server = process.env.TEST_DATABASE_URL;

/** Whether the tests' database has pgvector: PGlite always, PostgreSQL if the package is installed. */
export const hasPgvector =
  !server ||
  (await onServer(server, async (client) => {
    const { rowCount } = await client.query(`SELECT FROM pg_available_extensions WHERE name = 'vector'`);
    return rowCount === 1;
  }));
