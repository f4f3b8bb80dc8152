import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { migrate } from '../../src/database/migrate.ts';
import { readMigrations } from '../../src/database/migrations.ts';
import { testDatabase } from '../support/database/database.ts';

const upgrade = readMigrations().find(({ name }) => name.endsWith('_addresses_without_credentials'));
let handle: DatabaseHandle;

/** A database from before addresses with passwords were refused. */
beforeAll(async () => {
  handle = await testDatabase();
  await handle.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public;');
  await migrate(handle, { migrations: readMigrations().filter(({ name }) => name < (upgrade?.name ?? '')) });
});
afterAll(() => handle.close());

const addresses: [string, string][] = [
  ['https://user:password@site.example/a?b=c@d#e', 'https://site.example/a?b=c@d#e'],
  ['HTTP://user@site.example', 'HTTP://site.example'],
  ['https://:password@site.example:8443/', 'https://site.example:8443/'],
  ['https://a@b:pass@word@site.example/', 'https://site.example/'],
  ['https:\\\\user:password@site.example/', 'https:\\\\site.example/'],
  ['https:user:password@site.example/', 'https:site.example/'],
  ['https://site.example/@user', 'https://site.example/@user'],
  ['https://site.example/?mail=a@b.example', 'https://site.example/?mail=a@b.example'],
  ['data:image/png;base64,aGk@', 'data:image/png;base64,aGk@'],
  ['', ''],
];

test('every column of an address is looked at', async () => {
  const { rows } = await handle.pool.query<{ place: string }>(
    `SELECT table_name || '.' || column_name AS place FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'text' AND column_name ~ '(^url|Url)$' ORDER BY 1`,
  );
  const exempt = ['SourcePage.url'];
  const places = rows.map(({ place }) => place).filter((place) => !exempt.includes(place));
  for (const place of places) {
    const [table, column] = place.split('.');
    expect(upgrade?.script).toContain(`UPDATE "${table}" SET "${column}"`);
  }
});

test('addresses that were kept with a user name or a password lose them at the upgrade, and others stay', async () => {
  const { pool } = handle;
  await pool.query(`INSERT INTO "Workspace" ("id", "name", "updatedAt") VALUES ('w', 'W', now())`);
  const columns = [
    'apiUrl',
    'logoUrl',
    'legalInfoUrl',
    'url',
    'settingsUrl',
    'authorizationUrl',
    'tokenUrl',
    'revocationUrl',
  ];
  const quoted = columns.map((name) => `"${name}"`).join();
  for (const [index, [address]] of addresses.entries()) {
    await pool.query(
      `INSERT INTO "Plugin" ("workspaceId", "id", "nameForHuman", "nameForModel", "updatedAt", ${quoted})
       VALUES ('w', $2, 'P', 'p', now(), ${columns.map(() => '$1').join()})`,
      [address, `plg${index}`],
    );
  }
  await migrate(handle);
  const { rows } = await pool.query(`SELECT ${quoted} FROM "Plugin" ORDER BY "id"`);
  expect(rows).toEqual(addresses.map(([, kept]) => Object.fromEntries(columns.map((name) => [name, kept]))));
  for (const row of rows) for (const name of columns) expect(URL.parse(row[name])?.password ?? '').toBe('');
});
