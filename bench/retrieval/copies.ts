import pg from 'pg';
import type { DatabaseHandle } from '../../src/database/client.ts';

/**
 * Fills the tables with copies of a workspace, made in SQL, so that the data beside it is as large as in production
 * without waiting for it to be indexed.
 */
export async function copyWorkspace(
  { pool }: DatabaseHandle,
  workspaceId: string,
  from: number,
  to: number,
): Promise<void> {
  // A separate connection: the pool's statement timeout is too short.
  const client = new pg.Client({ ...pool.options, query_timeout: 0, statement_timeout: 0 });
  await client.connect();
  // The data is known to be consistent, and need not survive a crash.
  await client.query(`SET session_replication_role = replica; SET synchronous_commit = off`);
  for (let n = from; n <= to; n++) {
    // No id contains a u, so the copies' ids are unique.
    const copy = (column: string) => `left(${column}, 27) || 'u' || lpad('${n}', 2, '0')`;
    const own = `WHERE "workspaceId" = '${workspaceId}'`;
    const number = `+ ${n}::bigint * 10000000`;
    const ids = `${copy('"workspaceId"')}, ${copy('"baseId"')}, ${copy('"sourceId"')}`;
    await client.query(`
      INSERT INTO "Workspace" ("id", "name", "updatedAt") SELECT ${copy('"id"')}, "name", now() FROM "Workspace" WHERE "id" = '${workspaceId}';
      INSERT INTO "Base" ("id", "workspaceId", "description", "updatedAt")
        SELECT ${copy('"id"')}, ${copy('"workspaceId"')}, "description", now() FROM "Base" ${own};
      INSERT INTO "Source" ("id", "workspaceId", "baseId", "type", "updatedAt")
        SELECT ${copy('"id"')}, ${copy('"workspaceId"')}, ${copy('"baseId"')}, "type", now() FROM "Source" ${own};
      INSERT INTO "PassageSegment" ("number", "workspaceId", "baseId", "sourceId", "size", "live", "words", "vocabulary", "run", "start", "analysis")
        SELECT "number" ${number}, ${ids}, "size", "live", "words", "vocabulary", "run" ${number}, "start", "analysis" FROM "PassageSegment" ${own};
      INSERT INTO "PassageRun" ("number", "workspaceId", "baseId", "size")
        SELECT "number" ${number}, ${copy('"workspaceId"')}, ${copy('"baseId"')}, "size" FROM "PassageRun" ${own};
      INSERT INTO "PassageTerm" ("workspaceId", "term", "segment", "block")
        SELECT ${copy('"workspaceId"')}, "term", "segment" ${number}, "block" FROM "PassageTerm" ${own};
      INSERT INTO "Passage" ("id", "workspaceId", "baseId", "sourceId", "position", "text", "place", "searchText", "segment", "slot", "words")
        SELECT ${copy('"id"')}, ${ids}, "position", "text", "place", "searchText", "segment" ${number}, "slot", "words" FROM "Passage" ${own};`);
  }
  await client.query('VACUUM ANALYZE');
  await client.end();
}
