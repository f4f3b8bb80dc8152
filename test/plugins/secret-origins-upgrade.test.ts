import { expect, test } from 'vitest';
import { migrate } from '../../src/database/migrate.ts';
import { readUpgrades } from '../../src/database/migrations.ts';
import { originsAt } from '../../src/domain/plugins/origins.ts';
import { testDatabase } from '../support/database/database.ts';

const addresses = [
  'https://api.example/openapi.json',
  'HTTPS://API.Example:443/a?b#c',
  'http://api.example:80',
  'http://api.example:8080/x',
  'https://[2001:db8::1]/x',
  '',
];

test('at the upgrade, a stored secret is bound to the origins that it is sent to today', async () => {
  const upgrade = readUpgrades().find(({ name }) => name.endsWith('_secrets_have_origins'));
  const handle = await testDatabase();
  try {
    const { pool } = handle;
    await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public;');
    await migrate(handle, { migrations: readUpgrades().filter(({ name }) => name < (upgrade?.name ?? '')) });
    await pool.query(`INSERT INTO "Workspace" ("id", "name", "updatedAt") VALUES ('w', 'W', now());
      INSERT INTO "Agent" ("workspaceId", "id", "name", "updatedAt", "createdBy", "updatedBy") VALUES ('w', 'a', 'A', now(), 'u', 'u')`);
    const insert = `INSERT INTO "Plugin" ("workspaceId", "id", "nameForHuman", "nameForModel", "updatedAt", "apiUrl", "tokenUrl",
      "serviceTokenCipher", "oauthClientSecretCipher") VALUES ('w', $1, 'P', 'p', now(), $2, $3, $4, $4)`;
    for (const [index, address] of addresses.entries()) await pool.query(insert, [`p${index}`, address, address, 'c']);
    await pool.query(insert, ['without', 'https://api.example', 'https://id.example', null]);
    await pool.query(insert, ['imported', 'https://docs.example', 'https://id.example', 'c']);
    const operations = JSON.stringify(['https://api.example/a', 'https://api.example/b'].map((url) => ({ url })));
    await pool.query(
      `INSERT INTO "PluginInterface" ("workspaceId", "pluginId", "title", "version", "operations", "readAt") VALUES ('w', 'imported', '', '', $1, now())`,
      [operations],
    );
    await pool.query(
      `INSERT INTO "Credential" ("workspaceId", "agentId", "pluginId", "tokenCipher", "refreshTokenCipher", "updatedAt") VALUES ('w', 'a', 'imported', 'c', 'c', now())`,
    );
    await migrate(handle);
    const { rows } = await pool.query(
      'SELECT "id", "serviceTokenOrigins" AS api, "clientSecretOrigins" AS server FROM "Plugin"',
    );
    const found = Object.fromEntries(rows.map(({ id, api, server }) => [id, [api, server]]));
    for (const [index, address] of addresses.entries()) {
      // An address in brackets is left out: its secret is to be entered again.
      const expected = address.includes('[') ? [] : originsAt(address);
      expect(found[`p${index}`]).toEqual([expected, expected]);
    }
    expect(found.without).toEqual([[], []]);
    expect(found.imported).toEqual([['https://api.example'], ['https://id.example']]);
    const credentials = await pool.query('SELECT "origins", "refreshOrigins" FROM "Credential"');
    expect(credentials.rows).toEqual([{ origins: ['https://api.example'], refreshOrigins: ['https://id.example'] }]);
  } finally {
    await handle.close();
  }
});
