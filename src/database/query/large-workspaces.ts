import { inBackground } from '../deadline.ts';
import type { Pool } from '../pool.ts';

/** How long what is known is fresh, in milliseconds. */
const maxAgeMs = 5 * 60_000;

/** Tells which workspaces have so many more rows than others that their statements need plans of their own. */
export type LargeWorkspaces = {
  /** Never waits: what is outdated is returned once more while it is refreshed. */
  has(workspaceId: string): boolean;
};

/**
 * By the planner's statistics: at most 32 workspaces, each with 1,000 rows of a table and ten times the average. The
 * plan that PostgreSQL keeps for any values expects average workspaces: for a page, it sorts all rows of a list, since
 * there would be few.
 */
const largest = `
  SELECT "workspaceId" FROM pg_stats
  JOIN pg_class ON relname = tablename AND relnamespace = schemaname::regnamespace,
    unnest(most_common_vals::text::text[], most_common_freqs) AS common("workspaceId", share),
    greatest(CASE WHEN n_distinct < 0 THEN -n_distinct * reltuples ELSE n_distinct END, 1) AS workspaces
  WHERE schemaname = current_schema() AND attname = 'workspaceId' AND share * reltuples >= 1000 AND share * workspaces >= 10
  GROUP BY 1 ORDER BY max(share) DESC, 1 LIMIT 32`;

export function createLargeWorkspaces(pool: Pick<Pool, 'query' | 'isDistributed'>): LargeWorkspaces {
  let known: ReadonlySet<string> = new Set();
  let asked = Number.NEGATIVE_INFINITY;

  async function ask(): Promise<void> {
    const { rows } = await pool.query<{ workspaceId: string }>(largest);
    known = new Set(rows.map(({ workspaceId }) => workspaceId));
  }

  return {
    has(workspaceId) {
      // The nodes of a cluster plan each statement by its values.
      if (!pool.isDistributed && performance.now() - asked > maxAgeMs) {
        asked = performance.now();
        inBackground(ask).catch(() => {});
      }
      return known.has(workspaceId);
    },
  };
}
