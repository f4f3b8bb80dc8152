import { beforeAll, describe, expect, test } from 'vitest';
import { schedules } from '../../src/jobs/schedule.ts';
import { mergeMessageSegments } from '../../src/search/messages/merging.ts';
import { statementsOf } from '../support/database/database.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { plantPerson } from '../support/world/canary.ts';
import { makeWorld } from '../support/world/world.ts';

const gateway = useGateway();
const years = 2 * 365 * 24 * 3_600_000;
// Maintenance of the embedded database writes no rows.
const { database: _, ...writing } = schedules;
const tasks = Object.values(writing).flatMap(({ tasks }) => Object.entries(tasks));
const retention = `mutation { saveRetention(input: {conversations: 1, traces: 1, attachments: 1, deliveries: 1}) {
  settings { retention } } }`;

/** Statements that write however many rows there are, by design, and why. */
const exceptions: [why: string, pattern: RegExp][] = [
  ['the row of this process', /^INSERT INTO "Gateway" .* VALUES \(\$1, \$2, \$3, \$4, [^$]*$/],
  ['drafts of one workspace: at most as many as jobs were interrupted', /DELETE FROM "MessageSegment" .* AND "draft"$/],
];

/** The queue's own upkeep, beside whatever runs: one row for each kind of job, and finished jobs once a minute. */
const upkeep = /pgboss\.(queue|version|warning|schedule|bam)\b|DELETE FROM pgboss\.job_(common|dependency)\b/;

const oneLine = (statement: string) => statement.replaceAll(/\s+/g, ' ').trim();

/** Whether a statement may write more and more rows as the data grows. */
function isUnbounded(statement: string): boolean {
  const text = oneLine(statement);
  if (!/\b(DELETE FROM|UPDATE) (?!SKIP)/.test(text.replaceAll(/FOR (NO KEY )?UPDATE/g, ''))) return false;
  const isLimited = /\bLIMIT \(?[$\d]/i.test(text);
  // A key: a value or a list of values for a column other than the workspace.
  const hasKey = /\b(?!workspaceId)\w*(id|Id|number|name|key|segment)"?\)? (= (\$\d|ANY ?\(\$\d)|IN \(\$\d)/.test(text);
  const isOfList = /(FROM|USING) unnest\(\$/.test(text);
  if (upkeep.test(text)) return false;
  return !isLimited && !hasKey && !isOfList && !exceptions.some(([, pattern]) => pattern.test(text));
}

let home: TestWorkspace;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  await plantPerson(gateway, home, 'zqbounded');
  await makeWorld(gateway);
  await gateway.data(home.admin, retention);
  await gateway.work();
});

describe('no statement of a task writes more rows as the data grows', () => {
  const recorded = new Set<string>();
  test.each(tasks)('%s', async (_name, run) => {
    const later = { ...gateway.services, now: () => new Date(Date.now() + years) };
    const { statements } = await statementsOf(async () => {
      await run(later);
      await gateway.services.queue.idle();
    });
    for (const text of statements) recorded.add(text);
    expect(statements.filter(isUnbounded)).toEqual([]);
  });

  test('there were some, so that the tests above prove something', () => {
    const deleting = [...recorded].filter((text) => /\bDELETE FROM "/.test(text));
    const tables = new Set(
      deleting.flatMap((text) => [...text.matchAll(/DELETE FROM (?:"public"\.)?"(\w+)"/g)].map(([, name]) => name)),
    );
    for (const table of [
      'AuditEntry',
      'Conversation',
      'Idempotency',
      'OutboxEvent',
      'MessageTrace',
      'StoredFile',
      'Turn',
    ])
      expect(tables).toContain(table);
  });

  test('each exception is of a statement that there is', async () => {
    // A task merges segments only where messages are new, which another gateway of the same database may have done.
    const merged = await statementsOf(() => mergeMessageSegments(gateway.services.database, home.id));
    for (const text of merged.statements) recorded.add(text);
    const stale = exceptions.filter(([, pattern]) => ![...recorded].some((text) => pattern.test(oneLine(text))));
    expect(stale).toEqual([]);
  });
});

describe('the check of a statement', () => {
  test.each([
    'DELETE FROM "AuditEntry" WHERE "createdAt" <= $1',
    'DELETE FROM "public"."Turn" WHERE ("public"."Turn"."expiresAt" <= $1 AND "public"."Turn"."state" <> $2)',
    'DELETE FROM "OutboxEvent" e USING "Settings" s WHERE e."workspaceId" = s."workspaceId"',
    'UPDATE "Turn" SET "streamUntil" = NULL WHERE "streamUntil" <= $1 AND "workspaceId" = $2',
  ])('fails for %s', (text) => {
    expect(isUnbounded(text)).toBe(true);
  });

  test.each([
    'DELETE FROM "Agent" WHERE "workspaceId" = $1 AND "id" = $2',
    'WITH old AS (SELECT "id" FROM "Turn" LIMIT $1 FOR UPDATE) DELETE FROM "Turn" AS turn USING old WHERE turn."id" = old."id"',
    'SELECT "id" FROM "Agent" WHERE "workspaceId" = $1 FOR NO KEY UPDATE',
  ])('passes %s', (text) => {
    expect(isUnbounded(text)).toBe(false);
  });
});
