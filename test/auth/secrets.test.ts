import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newKey, readOrCreateKeyFile } from '../../src/auth/encryption/key-file.ts';
import { cipherColumns, rotateEncryption } from '../../src/auth/encryption/rotate-encryption.ts';
import { createSecrets, openSecrets } from '../../src/auth/encryption/secrets.ts';
import { ConfigError } from '../../src/config/config.ts';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';

const base64Key = () => randomBytes(32).toString('base64');

let handle: DatabaseHandle;
let dataDir: string;
beforeAll(async () => {
  handle = await borrowDatabase();
});
afterAll(() => handle.close());
beforeEach(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'parley-secrets-'));
  await handle.client.encryptionKey.deleteMany();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const open = (encryptionKeys: string[] | null, folder = dataDir) =>
  openSecrets({ encryptionKeys, dataDir: folder, handle });

describe('a cipher', () => {
  const secrets = createSecrets([newKey()]);

  test.each(['', 'secret', 'ação 🔐 \0', 'x'.repeat(100_000)])('gives back what was encrypted (%#)', (plain) => {
    expect(secrets.decrypt(secrets.encrypt(plain))).toBe(plain);
  });

  test('says its version and its key, and differs each time', () => {
    expect(secrets.encrypt('a')).toMatch(new RegExp(`^v1\\.${secrets.keyIds[0]}\\.[\\w-]{16}\\.[\\w-]+$`));
    expect(secrets.encrypt('a')).not.toBe(secrets.encrypt('a'));
  });

  test.each([0, 1, 2, 3])('is refused when part %i of it was changed', (part) => {
    const parts = secrets.encrypt('a secret').split('.');
    const text = parts[part] ?? '';
    parts[part] = (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
    expect(() => secrets.decrypt(parts.join('.'))).toThrow(expect.objectContaining({ code: 'internal_error' }));
  });

  test.each(['', 'v1', 'v1...', 'plain text', `${secrets.encrypt('a')}.x`, secrets.encrypt('a').slice(0, -8)])(
    'is refused when malformed: %j',
    (cipher) => {
      expect(() => secrets.decrypt(cipher)).toThrow('A stored secret cannot be read');
    },
  );

  test('cannot be read with another key, even of the same name', () => {
    const cipher = createSecrets([{ ...newKey(), id: 'main' }]).encrypt('a');
    expect(() => createSecrets([{ ...newKey(), id: 'main' }]).decrypt(cipher)).toThrow('another key');
    expect(() => secrets.decrypt(cipher)).toThrow('"main"');
  });

  test('is read under every key and made under the first', () => {
    const [older, newer] = [newKey(), newKey()];
    const cipher = createSecrets([older]).encrypt('a');
    const both = createSecrets([newer, older]);
    expect(both.decrypt(cipher)).toBe('a');
    expect(both.isCurrent(cipher)).toBe(false);
    expect(both.isCurrent(both.encrypt('a'))).toBe(true);
  });
});

describe('ENCRYPTION_KEYS', () => {
  test.each([['short'], [randomBytes(31).toString('base64')], ['a b:'.concat(base64Key())]])(
    'must be 32 bytes in base64: %j, and the error does not repeat it',
    async (key) => {
      const error: Error = await open([key]).then(
        () => expect.fail(),
        (reason) => reason,
      );
      expect(error).toBeInstanceOf(ConfigError);
      expect(error.message).toMatch(/ENCRYPTION_KEYS: key 1 must be 32 bytes/);
      expect(error.message).not.toContain(key);
    },
  );

  test('must not be empty, nor name two keys alike', async () => {
    await expect(open([])).rejects.toThrow('ENCRYPTION_KEYS: contains no key; make one with: openssl rand -base64 32');
    await expect(open([`a:${base64Key()}`, `a:${base64Key()}`])).rejects.toThrow('two keys have the same name');
  });

  test('names a key, or a name is derived from it', async () => {
    const key = base64Key();
    expect((await open([`main:${key}`])).keyIds).toEqual(['main']);
    await handle.client.encryptionKey.deleteMany();
    expect((await open([key])).keyIds).toEqual((await open([key])).keyIds);
  });
});

describe('the key file', () => {
  test('is made on the first start, for its owner only, and used again', async () => {
    const cipher = (await open(null)).encrypt('a');
    expect(statSync(path.join(dataDir, 'encryption.key')).mode & 0o777).toBe(0o600);
    expect((await open(null)).decrypt(cipher)).toBe('a');
  });

  test('is one when many race to make it, and leaves no drafts', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => readOrCreateKeyFile(dataDir)));
    expect(new Set(all.map(([key]) => key?.bytes.toString('hex'))).size).toBe(1);
    expect(readdirSync(dataDir)).toEqual(['encryption.key']);
  });

  test('is not replaced when it was lost: the data would stay unreadable', async () => {
    await open(null);
    rmSync(path.join(dataDir, 'encryption.key'));
    await expect(open(null)).rejects.toThrow(/ENCRYPTION_KEYS.*does not exist/);
    expect(existsSync(path.join(dataDir, 'encryption.key'))).toBe(false);
  });

  test('that is damaged is named in the error', async () => {
    writeFileSync(path.join(dataDir, 'encryption.key'), 'nonsense\n');
    await expect(open(null)).rejects.toThrow(`${path.join(dataDir, 'encryption.key')}: key 1 must be`);
  });
});

describe('a replica', () => {
  test('with another key than the data has is told to use the same ENCRYPTION_KEYS', async () => {
    await open([base64Key()]);
    await expect(open([base64Key()])).rejects.toThrow(ConfigError);
    await expect(open([base64Key()])).rejects.toThrow(/ENCRYPTION_KEYS: .* is missing\. Give every gateway/);
  });

  test('with another key of the same name is refused too', async () => {
    await open([`main:${base64Key()}`]);
    await expect(open([`main:${base64Key()}`])).rejects.toThrow('differs from the one first used under that name');
  });

  test('that starts together with one of another key: one of them is refused', async () => {
    const outcomes = await Promise.allSettled([open([base64Key()]), open([base64Key()])]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('rotation', () => {
  test('knows every column that holds ciphers', async () => {
    const { rows } = await handle.pool.query(
      `SELECT relname AS "table", attname AS "column" FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
       WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
         AND attname LIKE '%Cipher' ORDER BY 1, 2`,
    );
    expect(cipherColumns.map(({ table, column }) => ({ table, column }))).toEqual(rows);
  });

  test('encrypts everything anew, changes nothing else, and has nothing to do the second time', async () => {
    const [older, newer] = [base64Key(), base64Key()];
    const before = await rowsWithSecrets((await open([older])).encrypt);
    const secrets = await open([newer, older]);
    expect(await rotateEncryption(handle.pool, secrets)).toBe(9);
    expect(await rotateEncryption(handle.pool, secrets)).toBe(0);

    const alone = await open([newer]);
    const after = await before.read();
    expect(after.map(({ cipher }) => alone.decrypt(cipher ?? ''))).toEqual([
      'app',
      'channel',
      'identity',
      'again',
      'token',
      'answer',
      'oauth',
      'service',
      'jwk',
    ]);
    expect(after.map(({ updatedAt }) => updatedAt)).toEqual(before.rows.map(({ updatedAt }) => updatedAt));
    await expect(open([older])).rejects.toThrow('is missing');
  });

  test('goes through more values than one batch, and skips those that are not set', async () => {
    const [older, newer] = [newKey(), newKey()];
    const { encrypt } = createSecrets([older]);
    const { workspaceId } = await rowsWithSecrets(encrypt);
    const plugins = Array.from({ length: 1_200 }, (_, index) => ({
      ...pluginOf(workspaceId),
      oauthClientSecretCipher: index % 2 ? encrypt(`secret ${index}`) : null,
    }));
    await handle.client.plugin.createMany({ data: plugins });
    const secrets = createSecrets([newer, older]);
    await rotateEncryption(handle.pool, secrets);
    const rows = await handle.client.plugin.findMany({ where: { workspaceId, nameForModel: 'many' } });
    expect(rows.filter((row) => row.oauthClientSecretCipher === null)).toHaveLength(600);
    expect(rows.filter((row) => secrets.isCurrent(row.oauthClientSecretCipher ?? ''))).toHaveLength(600);
  });

  test('leaves alone what a gateway wrote meanwhile', async () => {
    const [older, newer] = [newKey(), newKey()];
    const { encrypt } = createSecrets([older]);
    const { workspaceId } = await rowsWithSecrets(encrypt);
    const secrets = createSecrets([newer, older]);
    // The gateway writes between the rotation's read and its write.
    let meanwhile: Promise<unknown> | undefined;
    const slow = {
      ...secrets,
      decrypt(cipher: string) {
        meanwhile ??= handle.client.app.updateMany({
          where: { workspaceId },
          data: { secretCipher: encrypt('fresh') },
        });
        return secrets.decrypt(cipher);
      },
    };
    const pool = {
      query: async (text: string, values: unknown[]) => {
        await meanwhile;
        return handle.pool.query(text, values);
      },
    } as unknown as DatabaseHandle['pool'];
    await rotateEncryption(pool, slow);
    const app = await handle.client.app.findFirstOrThrow({ where: { workspaceId } });
    expect(secrets.decrypt(app.secretCipher)).toBe('fresh');
    expect(secrets.isCurrent(app.secretCipher)).toBe(true);
  });
});

const pluginOf = (workspaceId: string) => ({
  id: newId('plugin'),
  workspaceId,
  nameForHuman: 'Many',
  nameForModel: 'many',
});

/** One row in each table that stores a secret. */
async function rowsWithSecrets(encrypt: (plain: string) => string) {
  const { client, pool } = handle;
  const workspaceId = newId('workspace');
  const [agentId, pluginId] = [newId('agent'), newId('plugin')];
  const by = { createdBy: 'x', updatedBy: 'x' };
  // Rows of an earlier test are encrypted with keys that no longer exist.
  await client.signingKey.deleteMany();
  await client.workspace.deleteMany();
  await client.workspace.create({ data: { id: workspaceId, name: 'W' } });
  await client.agent.create({ data: { id: agentId, workspaceId, name: 'A', ...by } });
  await client.plugin.create({
    data: {
      ...pluginOf(workspaceId),
      id: pluginId,
      nameForModel: 'one',
      oauthClientSecretCipher: encrypt('oauth'),
      serviceTokenCipher: encrypt('service'),
    },
  });
  await client.app.create({
    data: {
      workspaceId,
      id: 'app',
      name: 'A',
      color: '#000000',
      secretCipher: encrypt('app'),
      secretHash: workspaceId,
    },
  });
  await client.channel.create({
    data: {
      id: newId('channel'),
      workspaceId,
      agentId,
      platform: 'widget',
      credentialsCipher: encrypt('channel'),
      identitySecretCipher: encrypt('identity'),
      ...by,
    },
  });
  await client.credential.create({
    data: { workspaceId, agentId, pluginId, tokenCipher: encrypt('token'), refreshTokenCipher: encrypt('again') },
  });
  const day = { fingerprint: '', expiresAt: new Date(Date.now() + 86_400_000) };
  await client.idempotency.create({
    data: { workspaceId, caller: workspaceId, key: 'k', answerCipher: encrypt('answer'), ...day },
  });
  await client.signingKey.create({ data: { id: workspaceId, publicJwk: {}, privateCipher: encrypt('jwk') } });
  const read = async () => {
    const where = cipherColumns.map(({ table, column }) =>
      table === 'SigningKey'
        ? `SELECT "${column}" AS cipher, "createdAt" AS "updatedAt" FROM "${table}" WHERE id = $1`
        : `SELECT "${column}" AS cipher, "${table === 'Idempotency' ? 'createdAt' : 'updatedAt'}" AS "updatedAt"
           FROM "${table}" WHERE "workspaceId" = $1`,
    );
    const answers = [];
    for (const sql of where) answers.push(await pool.query<{ cipher: string; updatedAt: Date }>(sql, [workspaceId]));
    return answers.flatMap(({ rows }) => rows);
  };
  return { workspaceId, read, rows: await read() };
}
