import type pg from 'pg';
import { quoted } from '../copy/catalog.ts';
import { unreadyReasons } from './reasons.ts';

type Found = { schema: string | null; encoding: string; standby: boolean; role: string; database: string };

/**
 * Why the gateway cannot live in a database, whatever its migrations, with what to do; null if it can. Changes nothing.
 */
export async function unsuitableReason(database: Pick<pg.Pool, 'query'>): Promise<string | null> {
  const { rows } = await database.query<Found>(
    `SELECT current_schema() AS schema, current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby,
      current_user AS role, current_database() AS database`,
  );
  const { schema, encoding, standby, role, database: name } = rows[0] as Found;
  if (standby) return `${unreadyReasons.standby} Name the primary, or all servers of the cluster, in DATABASE_URL.`;
  if (encoding !== 'UTF8') {
    return `The database "${name}" stores texts as ${encoding}, which lacks most characters. Create another one: CREATE DATABASE parley ENCODING 'UTF8' TEMPLATE template0.`;
  }
  if (schema !== 'public') {
    const found = schema === null ? 'no schema' : `the schema "${schema}"`;
    return `The gateway's tables live in the schema public, but ${found} comes first for the role "${role}". Give the gateway a database of its own, and leave search_path out of DATABASE_URL or run: ALTER ROLE ${quoted(role)} IN DATABASE ${quoted(name)} SET search_path = public.`;
  }
  return null;
}
