import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { migrate } from '../../src/database/migrate.ts';
import { readUpgrades } from '../../src/database/migrations.ts';
import { testDatabase } from '../support/database/database.ts';

const named = (end: string) => readUpgrades().find(({ name }) => name.endsWith(end));
const before = (end: string) => readUpgrades().filter(({ name }) => name < (named(end)?.name ?? ''));
const upgrade = named('_addresses_without_credentials');
let handle: DatabaseHandle;

/** A database from before addresses with passwords were refused. */
beforeAll(async () => {
  handle = await testDatabase();
  await handle.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public;');
  await migrate(handle, { migrations: before('_addresses_without_credentials') });
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
  await migrate(handle, { migrations: before('_attachments_without_credentials') });
  const { rows } = await pool.query(`SELECT ${quoted} FROM "Plugin" ORDER BY "id"`);
  expect(rows).toEqual(addresses.map(([, kept]) => Object.fromEntries(columns.map((name) => [name, kept]))));
  for (const row of rows) for (const name of columns) expect(URL.parse(row[name])?.password ?? '').toBe('');
});

test('so do those of attachments, in what was sent of them, and in what sources were read from', async () => {
  const { client } = handle;
  const workspaceId = 'w';
  const made = { workspaceId, createdBy: 'u', updatedBy: 'u' };
  // The client knows columns that a later migration makes.
  await handle.pool.query(`
    INSERT INTO "Agent" ("workspaceId", "id", "name", "searchText", "createdBy", "updatedBy", "updatedAt")
      VALUES ('w', 'a', 'A', 'a', 'u', 'u', now());
    INSERT INTO "Channel" ("workspaceId", "id", "agentId", "platform", "credentialsCipher", "publishableToken", "createdBy", "updatedBy", "updatedAt")
      VALUES ('w', 'c', 'a', 'api', '', 'p', 'u', 'u', now());
    INSERT INTO "Conversation" ("workspaceId", "id", "agentId", "channelId", "updatedAt") VALUES ('w', 'v', 'a', 'c', now())`);
  await client.webhook.create({ data: { ...made, id: 'h', url: 'https://a.example', secretCipher: '', runsAs: 'u' } });
  await client.base.create({ data: { ...made, id: 'b', description: 'B' } });
  // What only looks like an address is a name, and stays.
  const name = '"url": "https://user:password@site.example/';
  const attachments = (index: 0 | 1) => [
    ...addresses.map((pair) => ({ type: 'file', url: pair[index], name, size: null })),
    { type: 'image', data: 'aGk=', mimeType: 'image/png' },
  ];
  const message = {
    workspaceId,
    conversationId: 'v',
    agentId: 'a',
    channelId: 'c',
    role: 'user' as const,
    content: 'Hi',
  };
  await client.message.createMany({
    data: [
      { ...message, id: 'm0', position: 0, attachments: attachments(0) },
      { ...message, id: 'm1', position: 1, attachments: attachments(1) },
      { ...message, id: 'm2', position: 2 },
    ],
  });
  await client.outboxEvent.create({ data: { workspaceId, id: 'e', type: 'ping', data: {} } });
  const delivery = { workspaceId, id: 'd', webhookId: 'h', eventId: 'e', event: 'ping' as const };
  const body = (index: 0 | 1) => JSON.stringify({ data: { attachments: attachments(index) } });
  await client.webhookDelivery.create({ data: { ...delivery, body: body(0) } });
  const source = { workspaceId, baseId: 'b', type: 'page' as const };
  await client.source.createMany({
    data: addresses.map(([url], index) => ({ ...source, id: `s${index}`, validators: { url, reader: '1' } })),
  });
  const untouched = await client.message.findFirstOrThrow({ where: { id: 'm1' } });

  await migrate(handle);
  const messages = await client.message.findMany({ orderBy: { position: 'asc' } });
  expect(messages.map((row) => row.attachments)).toEqual([attachments(1), attachments(1), []]);
  expect(messages[1]).toEqual(untouched);
  expect((await client.webhookDelivery.findFirstOrThrow({ where: { id: 'd' } })).body).toBe(body(1));
  const sources = await client.source.findMany({ orderBy: { id: 'asc' } });
  expect(sources.map(({ validators }) => validators)).toEqual(addresses.map(([, url]) => ({ url, reader: '1' })));
});
