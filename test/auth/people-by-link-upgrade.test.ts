import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { migrate } from '../../src/database/migrate.ts';
import { readUpgrades } from '../../src/database/migrations.ts';
import { testDatabase } from '../support/database/database.ts';

const upgrade = readUpgrades().find(({ name }) => name.endsWith('_people_by_link'));
let handle: DatabaseHandle;

/** A database from before people who joined by link were kept apart. */
beforeEach(async () => {
  handle = await testDatabase();
  await handle.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public;');
  await migrate(handle, { migrations: readUpgrades().filter(({ name }) => name < (upgrade?.name ?? '')) });
});
afterEach(() => handle.close());

const insert = (table: string, row: Record<string, unknown>) => {
  const given = { ...row, updatedAt: new Date() };
  const names = Object.keys(given).map((name) => `"${name}"`);
  const places = names.map((_, index) => `$${index + 1}`);
  const text = `INSERT INTO "${table}" (${names.join()}) VALUES (${places.join()})`;
  return handle.pool.query(text, Object.values(given));
};

test('whoever joined by a link is known in that workspace alone, and people stay what they are', async () => {
  for (const id of ['w1', 'w2']) await insert('Workspace', { id, name: id });
  const [only, both, person, pending] = [newId('user'), newId('user'), newId('user'), newId('user')];
  const user = (id: string, name: string, more = {}) =>
    insert('User', { id, name, email: `${name}@example.com`, phone: '+5511900000001', searchText: name, ...more });
  const member = async (userId: string, workspaceId: string, acceptedByLink: boolean, acceptedAt = new Date()) => {
    const id = newId('membership');
    await insert('Membership', { id, workspaceId, userId, role: 'editor', acceptedByLink, acceptedAt });
    return id;
  };
  await user(only, 'only');
  await user(both, 'both');
  await user(person, 'person');
  await user(pending, 'pending', { invitedTo: 'w1' });
  const memberships = {
    only: await member(only, 'w1', true),
    link: await member(both, 'w1', true),
    own: await member(both, 'w2', false),
    person: await member(person, 'w1', false),
    pending: await member(pending, 'w1', false, null as never),
  };
  await migrate(handle);
  const { rows } = await handle.pool.query(
    `SELECT "Membership"."id", "User"."id" AS "userId", "email", "name", "phone", "invitedTo"
     FROM "Membership" JOIN "User" ON "User"."id" = "userId"`,
  );
  const phone = '+5511900000001';
  const found = Object.fromEntries(
    Object.entries(memberships).map(([key, id]) => [key, rows.find((r) => r.id === id)]),
  );
  expect(found).toMatchObject({
    only: { userId: only, invitedTo: 'w1', phone },
    link: { invitedTo: 'w1', name: 'both', email: 'both@example.com', phone: null },
    own: { userId: both, invitedTo: '', phone },
    person: { userId: person, invitedTo: '', phone },
    pending: { userId: pending, invitedTo: 'w1', phone },
  });
  expect(found.link.userId).toMatch(/^usr_[0-9a-z]{26}$/);
  expect(found.link.userId).not.toBe(both);
});
