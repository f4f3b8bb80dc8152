import { expect, test } from 'vitest';
import { transact } from '../../src/database/client.ts';
import { findPerson } from '../../src/domain/erasure/person.ts';
import { statementsOf } from '../support/database/database.ts';
import { scansOf } from '../support/database/plans.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';
import { plantPerson } from '../support/world/canary.ts';

const { gateway, home } = useWorkspaces();

/** So many rows that the planner reads them by an index that finds few. */
const fill = (workspaceId: string) => `
  INSERT INTO "Lead" (id, "workspaceId", "email", "phone", "updatedAt")
  SELECT 'led_' || n, '${workspaceId}', n || '@example.com', '+' || n, now() FROM generate_series(1, 5000) AS n;
  INSERT INTO "Conversation" (id, "workspaceId", "agentId", "channelId", "leadId", "branchedFromId", "platformUserIdentifier", "updatedAt")
  SELECT 'cnv_' || n, "workspaceId", "agentId", "channelId", 'led_' || n, CASE WHEN n % 10 = 0 THEN 'cnv_' || (n - 1) END, n, now()
  FROM "Conversation" AS model, generate_series(1, 5000) AS n WHERE "workspaceId" = '${workspaceId}';
  INSERT INTO "Message" (id, "workspaceId", "conversationId", position, role, content, "updatedAt")
  SELECT 'msg_' || n, '${workspaceId}', 'cnv_' || n, 0, 'user', 'Hello', now() FROM generate_series(1, 5000) AS n;
  INSERT INTO "LeadValue" ("workspaceId", "leadId", "field", "value", "messageId")
  SELECT '${workspaceId}', 'led_' || n, 'email', '""', 'msg_' || n FROM generate_series(1, 5000) AS n;
  ANALYZE`;

test('a person is found by indexes: no statement reads all rows of a workspace', async () => {
  const { email, conversationId } = await plantPerson(gateway, home, 'zqplans');
  await gateway.services.pool.query(fill(home.id));
  const { recorded } = await statementsOf(async () => {
    for (const known of [{ email }, { phone: '+5511987654321' }, { conversationId }])
      await transact(gateway.database, (tx) => findPerson(tx, home.id, known));
  });
  const finding = recorded.filter(({ text }) => /^\s*(SELECT|WITH)\b.*FROM "(Lead|Conversation)"/s.test(text));
  expect(finding.length).toBeGreaterThan(10);
  for (const statement of finding) {
    const scans = await scansOf(gateway.handle, statement, ['force_custom_plan']);
    expect(scans.filter(({ rows }) => rows > 100)).toEqual([]);
  }
});
