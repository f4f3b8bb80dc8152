import { expect, test } from 'vitest';
import { analyzeChanged } from '../../src/database/upkeep/statistics.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
const count = '{ leads { countUpTo(limit: 100, estimate: true) { count precision } } }';

test.skipIf(process.env.TEST_DATABASE_URL)(
  'the embedded database knows how large a table is that has changed by much, and counts no other anew',
  async () => {
    const { id, viewer } = await makeWorkspace(gateway);
    const { pool } = gateway.handle;
    await analyzeChanged(pool);
    const lead = `INSERT INTO "Lead" (id, "workspaceId", "updatedAt") SELECT 'lead_' || n || $1, $1, now() FROM generate_series(1, 1000) n`;
    await pool.query(lead, [id]);
    expect(await analyzeChanged(pool)).toContain('public."Lead"');
    expect(await analyzeChanged(pool)).toEqual([]);
    const { leads } = await gateway.data(viewer, count);
    expect(leads.countUpTo.precision).toBe('estimate');
    expect(leads.countUpTo.count).toBeGreaterThan(500);
  },
);
