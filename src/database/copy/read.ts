import { quoted } from '../sql.ts';
import { columnsOf, type Table } from './catalog.ts';
import type { CopySession } from './session.ts';

/** How much the embedded database should return in one statement, in bytes. */
const targetBytes = 4 * 2 ** 20;
const firstPages = 16;
const maxPages = 4_096;

/** Streams the rows of a table in COPY text format, in any order. Call it in a transaction that has one snapshot. */
export function readTable(session: CopySession, table: Table): AsyncIterable<Buffer> {
  const select = `SELECT ${columnsOf(table)} FROM ${quoted(table.name)}`;
  return session.kind === 'postgres' ? session.copyOut(select) : byPages(session, table, select);
}

/**
 * The embedded database returns the result of a statement at once, so a table is read by ranges of pages. Long values
 * are stored outside of them: the next range is as long as the last one's size allows.
 */
async function* byPages(session: CopySession, { name }: Table, select: string): AsyncGenerator<Buffer> {
  const { rows } = await session.query<{ pages: number }>(
    `SELECT coalesce(max(pg_relation_size(relid) / current_setting('block_size')::int), 0)::int AS pages
    FROM pg_partition_tree($1::regclass) WHERE isleaf
    UNION ALL SELECT (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int`,
    [quoted(name)],
  );
  const total = Math.max(...rows.map(({ pages }) => pages));
  for (let page = 0, count = firstPages; page < total; ) {
    const end = page + count;
    let bytes = 0;
    for await (const chunk of session.copyOut(`${select} WHERE ctid >= '(${page},0)' AND ctid < '(${end},0)'`)) {
      bytes += chunk.length;
      yield chunk;
    }
    page = end;
    count = Math.min(maxPages, Math.max(1, Math.floor((count * targetBytes) / Math.max(bytes, 1))), count * 4);
  }
}
