import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestToken } from '../../src/auth/admin/admin-client.ts';
import { openAdminSocket } from '../../src/auth/admin/admin-socket.ts';
import { adminSocketPath } from '../../src/auth/admin/admin-socket-path.ts';
import { DEMO_WORKSPACE_ID } from '../../src/auth/demo.ts';
import { openSecrets } from '../../src/auth/encryption/secrets.ts';
import { issueToken } from '../../src/auth/issue.ts';
import { setQuota } from '../../src/auth/quota.ts';
import { createTokens, type Tokens } from '../../src/auth/tokens.ts';
import { forbidden } from '../../src/core/errors.ts';
import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { fillDataFolder } from '../support/database/data-folder.ts';

/** A folder whose path has at least this many bytes. */
function folderOf(length = 0): string {
  const base = mkdtempSync(path.join(tmpdir(), 'parley-control-'));
  const folder = path.join(base, 'x'.repeat(Math.max(1, Math.min(200, length - base.length - 1))));
  mkdirSync(folder);
  return folder;
}
const answering = (token: string) => ({ token: async () => ({ token }) });
const issuing = (services: Parameters<typeof issueToken>[0]) => ({
  token: async (request: unknown) => ({ token: await issueToken(services, request) }),
});
const remove = (folder: string) => rmSync(path.dirname(folder), { recursive: true });

describe('the control socket', () => {
  test.each([0, 80, 84, 120, 250])('answers in a folder whose path has %i bytes or more', async (length) => {
    const dataDir = folderOf(length);
    const control = await openAdminSocket({
      dataDir,
      operations: { token: async (request) => ({ token: `token for ${JSON.stringify(request)}` }) },
    });
    expect(await requestToken(dataDir, { role: 'viewer' })).toBe('token for {"role":"viewer"}');
    expect(statSync(adminSocketPath(dataDir)).mode & 0o777).toBe(0o600);
    await control.close();
    expect(await requestToken(dataDir, {})).toBeNull();
    expect(readdirSync(dataDir)).toEqual([]);
    remove(dataDir);
  });

  test('takes the place of one that a killed gateway left behind', async () => {
    const dataDir = folderOf();
    const script = `require('net').createServer().listen(${JSON.stringify(adminSocketPath(dataDir))}, () => process.kill(process.pid, 'SIGKILL'))`;
    await new Promise((resolve) => spawn(process.execPath, ['-e', script]).on('exit', resolve));
    expect(readdirSync(dataDir)).toEqual(['control.sock']);
    expect(await requestToken(dataDir, {})).toBeNull();
    const control = await openAdminSocket({ dataDir, operations: answering('token') });
    expect(await requestToken(dataDir, {})).toBe('token');
    await control.close();
    remove(dataDir);
  });

  test('is not taken away by the one that it replaced', async () => {
    const dataDir = folderOf();
    const first = await openAdminSocket({ dataDir, operations: answering('first') });
    const second = await openAdminSocket({ dataDir, operations: answering('second') });
    await first.close();
    expect(await requestToken(dataDir, {})).toBe('second');
    await second.close();
    remove(dataDir);
  });

  test('hands on the error of the gateway, and no other', async () => {
    const dataDir = folderOf();
    const failures = [forbidden('Not this role.'), new Error('SELECT secret')];
    const control = await openAdminSocket({ dataDir, operations: { token: () => Promise.reject(failures.shift()) } });
    await expect(requestToken(dataDir, {})).rejects.toEqual(
      expect.objectContaining({ code: 'forbidden', message: 'Not this role.' }),
    );
    await expect(requestToken(dataDir, {})).rejects.toEqual(
      expect.objectContaining({ code: 'internal_error', message: expect.not.stringContaining('SELECT') }),
    );
    await control.close();
    remove(dataDir);
  });

  test('that breaks off is an error: the gateway is there', async () => {
    const dataDir = folderOf();
    const server = createServer(() => server.closeAllConnections()).listen(adminSocketPath(dataDir));
    await expect(requestToken(dataDir, {})).rejects.toThrow();
    server.close();
    remove(dataDir);
  });
});

describe('npm run token', () => {
  let dataDir: string;
  let handle: DatabaseHandle;
  let tokens: Tokens;
  beforeAll(async () => {
    dataDir = folderOf();
    fillDataFolder(dataDir);
    await open();
    const { client } = handle;
    await client.workspace.create({ data: { id: DEMO_WORKSPACE_ID, name: 'Demo' } });
    const user = await client.user.create({ data: { id: newId('user'), name: 'O', email: 'o@example.com' } });
    const member = { id: newId('membership'), workspaceId: DEMO_WORKSPACE_ID, userId: user.id, role: 'owner' } as const;
    await client.membership.create({ data: member });
  });
  afterAll(async () => {
    await handle.close();
    remove(dataDir);
  });

  async function open() {
    handle = await openDatabase({ databaseUrl: null, dataDir });
    const secrets = await openSecrets({ encryptionKeys: null, dataDir, handle });
    const config = { publicUrl: null, oidc: null, maxTokenSeconds: 86_400 };
    tokens = createTokens({ config, database: handle.client, secrets, now: () => new Date() });
  }

  async function run(script: string, args: string[], folder = dataDir) {
    const env = { PATH: process.env.PATH, DATA_DIR: folder };
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', `src/cli/${script}.ts`, ...args], {
      env,
    });
    const ended = new Promise<number>((resolve) => child.on('exit', resolve));
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { out, err, code };
  }
  const issued = () => handle.client.auditEntry.count({ where: { action: 'token_issued', actorKind: 'operator' } });
  const jwt = /^[\w-]+\.[\w-]+\.[\w-]+\n$/;

  test('prints a token of the running gateway and nothing else', async () => {
    const services = { database: handle.client, tokens };
    const control = await openAdminSocket({ dataDir, operations: issuing(services) });
    const { out, err, code } = await run('token', ['--role', 'viewer']);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    expect(out).toMatch(jwt);
    expect(await issued()).toBe(1);
    expect(await tokens.verify(out.trim())).toMatchObject({ workspaceId: DEMO_WORKSPACE_ID, role: 'viewer' });

    const wrong = await run('token', ['--user', 'nobody@example.com']);
    expect(wrong).toEqual({ out: '', err: 'error: Member with this user id or email not found.\n', code: 1 });
    await control.close();
  });

  test('prints one while no gateway runs, after a rotation of both kinds of keys too', async () => {
    const before = readFileSync(path.join(dataDir, 'encryption.key'), 'utf8');
    await handle.close();
    const first = await run('token', []);
    const encryption = await run('rotate-keys', ['encryption']);
    const signing = await run('rotate-keys', ['signing']);
    const second = await run('token', ['--ttl', '60']);
    await open();
    expect([first.err, encryption.err, signing.err, second.err]).toEqual(['', '', '', '']);
    expect(encryption.out).toContain('Re-encrypted 1 stored secrets');
    expect(await issued()).toBe(3);
    for (const { out } of [first, second]) expect(await tokens.verify(out.trim())).toMatchObject({ role: 'owner' });
    const after = readFileSync(path.join(dataDir, 'encryption.key'), 'utf8').trim().split('\n');
    expect(after).toHaveLength(2);
    expect(before).not.toContain(after[1]);
  });

  test('rotating is refused while the gateway has the folder, and changes nothing', async () => {
    const before = readFileSync(path.join(dataDir, 'encryption.key'), 'utf8');
    const { err, code } = await run('rotate-keys', ['encryption']);
    expect({ err, code }).toEqual({ err: expect.stringMatching(/^error: The data folder .* is in use/), code: 1 });
    expect(readFileSync(path.join(dataDir, 'encryption.key'), 'utf8')).toBe(before);
  });

  test.each([
    [['--ttl', 'soon'], 'ttl: must be a whole number of seconds'],
    [['--role', 'root'], 'role: must be one of viewer, editor, admin, owner'],
    [['--colour', 'red'], "Unknown option '--colour'"],
    [['--ttl', '90000'], 'ttl: must be a whole number of seconds from 1 to 86400'],
  ])('says what is wrong with %j', async (args, message) => {
    const control = await openAdminSocket({ dataDir, operations: issuing({ database: handle.client, tokens }) });
    const { out, err, code } = await run('token', args);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toContain(`error: ${message}`);
    await control.close();
  });

  test('a quota is set while the gateway runs, and while it does not', async () => {
    const where = { id: DEMO_WORKSPACE_ID };
    const quotaOf = async () => (await handle.client.workspace.findUniqueOrThrow({ where })).maxInteractions;
    const quota = (max: string, workspace = DEMO_WORKSPACE_ID) =>
      run('quota', ['--workspace', workspace, '--max', max]);
    const settings = { workspaceId: DEMO_WORKSPACE_ID, costPerMinute: 1 };
    await handle.client.settings.create({ data: settings });
    const budgetOf = async () =>
      (await handle.client.settings.findUniqueOrThrow({ where: { workspaceId: DEMO_WORKSPACE_ID } })).costPerMinute;
    const operations = { quota: async (body: unknown) => ({ max: await setQuota({ database: handle.client }, body) }) };
    const control = await openAdminSocket({ dataDir, operations });
    expect(await quota('250')).toEqual({ out: '250\n', err: '', code: 0 });
    expect(await quotaOf()).toBe(250);
    for (const max of ['many', '-1', '2.5', '4000000000'])
      expect(await quota(max)).toMatchObject({ out: '', code: 1, err: expect.stringContaining('max') });
    expect(await quota('5', 'wsp_none')).toEqual({ out: '', err: 'error: Workspace not found.\n', code: 1 });
    expect(await quotaOf()).toBe(250);
    expect(await run('quota', ['--workspace', DEMO_WORKSPACE_ID, '--reset-budgets'])).toMatchObject({ out: '250\n' });
    expect([await quotaOf(), await budgetOf()]).toEqual([250, null]);
    await handle.client.settings.update({ where: { workspaceId: DEMO_WORKSPACE_ID }, data: settings });
    await control.close();
    await handle.close();
    const alone = await quota('plan');
    const reset = await run('quota', ['--workspace', DEMO_WORKSPACE_ID, '--reset-budgets']);
    await open();
    expect(reset).toEqual({ out: 'plan\n', err: '', code: 0 });
    expect(await budgetOf()).toBeNull();
    expect(alone).toEqual({ out: 'plan\n', err: '', code: 0 });
    expect(await quotaOf()).toBeNull();
  });

  test('asks to start the gateway once when there is no data, and makes none', async () => {
    const folder = path.join(dataDir, 'none');
    const { out, err, code } = await run('token', [], folder);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toMatch(/^error: There is no data in .* yet: start the gateway once/);
    expect(readdirSync(dataDir)).not.toContain('none');
  });
});
