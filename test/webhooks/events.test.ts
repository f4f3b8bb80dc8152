import { describe, expect, test } from 'vitest';
import { auditRules } from '../../src/database/audit/rules.ts';
import { auditTriggersOf } from '../../src/database/audit/triggers.ts';
import { triggersToChange } from '../../src/database/diff/triggers.ts';
import { WebhookEvent } from '../../src/database/generated/prisma/enums.ts';
import { eventTables } from '../../src/database/settings/event-tables.ts';
import { type RowEvents, triggersOf } from '../../src/domain/shared/row-events.ts';
import { readingOf, rowEvents } from '../../src/domain/webhooks/events.ts';
import { useGateway } from '../support/gateway/app.ts';
import { textOf } from '../support/repository/documents.ts';

const gateway = useGateway();
const audit = auditRules.flatMap(auditTriggersOf);
const declared = [...rowEvents.flatMap(triggersOf), ...audit];

/** The changes that a migration would make for these triggers, after this statement. */
async function changesFor(triggers: typeof declared, before?: string): Promise<string | null> {
  const client = await gateway.handle.pool.connect();
  try {
    return await triggersToChange(triggers, (text) =>
      client.query(text === 'BEGIN' && before ? `BEGIN; ${before}` : text),
    );
  } finally {
    client.release();
  }
}

describe('the events of rows', () => {
  test('are written by the triggers that the domains declare, and by no others', async () => {
    expect(await changesFor(declared)).toBeNull();
  });

  test('begin with the one word that tells what takes reading them', () => {
    const known = rowEvents.flatMap(({ subject, permission, events }) =>
      Object.keys(events).map((verb) => ({ event: `${subject}_${verb}` as WebhookEvent, subject, permission })),
    );
    for (const { event, subject, permission } of known) {
      expect(event).toMatch(/^[a-z]+_[a-z]+$/);
      expect([event, readingOf(event)]).toEqual([event, permission]);
      expect(rowEvents.filter((one) => one.subject === subject)).toHaveLength(1);
    }
    const others = Object.values(WebhookEvent).filter((name) => !known.some(({ event }) => event === name));
    expect(others).toEqual(['usage_threshold', 'ping']);
  });

  test('that are declared anew, changed or no more are what a migration changes', async () => {
    const documents: RowEvents = {
      model: 'Document',
      subject: 'document',
      permission: 'content.read',
      data: { documentId: 'id' },
      events: { renamed: { on: 'update', changes: ['name'] } },
      read: async () => null,
    };
    const [message, ...others] = rowEvents as [RowEvents, ...RowEvents[]];
    const changed = { ...message, data: { ...message.data, name: 'row."name"' } };
    const events = [documents, changed, ...others.filter(({ subject }) => subject !== 'source')];
    const changes = (await changesFor([...events.flatMap(triggersOf), ...audit]))
      ?.split('\n')
      .filter((line) => /^(DROP|CREATE)/.test(line));
    expect(changes?.map((line) => line.slice(0, 60).replace(/ (AFTER|ON) .*/, ''))).toEqual([
      'DROP TRIGGER "Message_created"',
      'DROP TRIGGER "Source_failed"',
      'DROP TRIGGER "Source_succeeded"',
      'CREATE TRIGGER "Document_renamed"',
      'CREATE TRIGGER "Message_created"',
    ]);
    expect(changes?.[3]).toBe(
      `CREATE TRIGGER "Document_renamed" AFTER UPDATE ON "Document" FOR EACH ROW WHEN ((OLD."name") IS DISTINCT FROM (NEW."name")) ` +
        `EXECUTE FUNCTION "recordRowEvent"('document.renamed', '{"documentId":"id"}');`,
    );
  });

  test('are joined by one that keeps the times of the changes of a row apart', async () => {
    const changes = await changesFor(
      declared,
      'CREATE TABLE "Ticket" ("updatedAt" timestamptz(3), "createdAt" timestamptz(3))',
    );
    expect(changes?.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^CREATE TRIGGER "Ticket_later" BEFORE UPDATE OF "updatedAt" ON "Ticket" /),
      '',
    ]);
  });

  test('are known where transactions name what causes them', () => {
    expect(
      rowEvents
        .map(({ model }) => model)
        .concat('OutboxEvent')
        .toSorted(),
    ).toEqual(eventTables.toSorted());
  });

  test('have names that a webhook can ask for', async () => {
    const { rows } = await gateway.handle.pool.query<{ name: string }>(
      `SELECT unnest(enum_range(NULL::"WebhookEvent"))::text AS "name"`,
    );
    const known = rows.map(({ name }) => name);
    const names = rowEvents.flatMap(({ subject, events }) => Object.keys(events).map((verb) => `${subject}_${verb}`));
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('are told by docs/webhooks.md with their data, and so are the others', () => {
    const rows = [...textOf('docs/webhooks.md').matchAll(/^\| `(\w+)` \|.*\| ([^|]*) \|$/gm)].slice(1);
    const told = new Map(rows.map(([, name, data]) => [name, data?.match(/(?<=`)\w+(?=`)/g)]));
    for (const { subject, data, events } of rowEvents)
      for (const [verb, { withChanges }] of Object.entries(events))
        expect(told.get(`${subject}_${verb}`)?.toSorted()).toEqual(
          [...Object.keys(data), ...(withChanges ? ['changed'] : []), subject].toSorted(),
        );
    expect([...told.keys()].toSorted()).toEqual(Object.keys(WebhookEvent).toSorted());
  });
});
