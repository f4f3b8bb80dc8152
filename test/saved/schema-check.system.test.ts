import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { openSecrets } from '../../src/auth/encryption/secrets.ts';
import { openDatabase } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { createLog } from '../../src/http/log/request-log.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { fillDataFolder } from '../support/database/data-folder.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let server: Listening;
let home: TestWorkspace;
let folder: string;
/** The schema as it is, and one whose agents have a title instead of a name. */
const current = 'schema/schema.graphql';
let other: string;

/** Why an operation would be broken, and what there is instead. */
const why = String.raw`agent-names: Line 1: Cannot query field "name" on type "Agent"\. Its fields are .*\btitle\b.*\.`;

const documents = {
  'agent-names': '{ agents(first: 2) { nodes { name } } }',
  'how-many': '{ agents { totalCount } }',
};

beforeAll(async () => {
  server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
  home = await makeWorkspace(gateway);
  folder = mkdtempSync(path.join(tmpdir(), 'schema-check-'));
  other = path.join(folder, 'other.graphql');
  writeFileSync(other, readFileSync(current, 'utf8').replace(/(type Agent implements.*?\n {2})name:/s, '$1title:'));
});
afterAll(async () => {
  await server.close(0);
  rmSync(folder, { recursive: true });
});

const check = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/cli/schema-check.ts', ...args], {
    env: { ...process.env, ...env },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );

test('names the operations of a workspace that another schema would not accept, by its gateway', async () => {
  for (const [name, document] of Object.entries(documents)) {
    const create = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
    await gateway.data(home.editor, create, { input: { name, document } });
  }
  const env = { TOKEN: await gateway.bearer(home.viewer), GATEWAY: server.url };
  expect(await check(env, '--against', current)).toEqual({
    code: 0,
    stdout: '',
    stderr: '0 of 2 saved operations would be broken.\n',
  });
  expect(await check(env, '--against', other)).toEqual({
    code: 1,
    stdout: expect.stringMatching(`^${why}\n$`),
    stderr: '1 of 2 saved operations would be broken.\n',
  });
});

test('names who ran them, by the log of the gateway', async () => {
  const log = path.join(folder, 'gateway.log');
  const lines: object[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logged = createApp({ ...gateway.services, log: createLog('info', destination) }, async () => null);
  const authorization = `Bearer ${await gateway.bearer(home.viewer)}`;
  const body = JSON.stringify({ documentId: 'agent-names' });
  const headers = { authorization, 'content-type': 'application/json', 'graphql-client-name': 'web-shop' };
  await logged.request('/graphql', { method: 'POST', headers, body });
  await logged.request('/graphql', { method: 'POST', headers, body });
  await logged.request('/run/agent-names.csv', { headers: { authorization } });
  await logged.request('/run/how-many', { headers: { authorization } });
  expect(lines).toHaveLength(4);
  expect(lines).toMatchObject([{ client: 'web-shop', saved: 'agent-names' }, {}, { saved: 'agent-names' }, {}]);
  const other1 = { ...lines[0], workspaceId: 'wsp_other', callerId: 'elsewhere' };
  writeFileSync(log, ['no JSON, "saved"', ...[...lines, other1].map((line) => JSON.stringify(line))].join('\n'));
  const env = { TOKEN: await gateway.bearer(home.viewer), GATEWAY: server.url };
  const { code, stdout } = await check(env, '--against', other, '--log', log);
  const { userId } = home.viewer;
  expect([code, stdout.split('\n')]).toEqual([
    1,
    [
      expect.stringMatching(`^${why}$`),
      expect.stringMatching(`^  run 3 times, last at 20\\S+Z, by web-shop \\w+ ${userId}, \\w+ ${userId}$`),
      '',
    ],
  ]);
  expect(await check(env, '--against', other, '--log', 'nowhere.log')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--log: nowhere.log cannot be read: ENOENT'),
  });
});

test('names those of all workspaces, by the database', async () => {
  const dataDir = path.join(folder, 'data');
  fillDataFolder(dataDir);
  const handle = await openDatabase({ databaseUrl: null, dataDir });
  await openSecrets({ encryptionKeys: null, dataDir, handle });
  const workspaces = [newId('workspace'), newId('workspace')].sort();
  for (const workspaceId of workspaces) {
    await handle.client.workspace.create({ data: { id: workspaceId, name: 'One' } });
    const of = { workspaceId, documentHash: '', createdBy: 'operator', updatedBy: 'operator' };
    const rows = Object.entries(documents).map(([name, document]) => ({
      id: newId('savedOperation'),
      name,
      document,
      ...of,
    }));
    await handle.client.savedOperation.createMany({ data: rows });
  }
  await handle.close();
  const env = { TOKEN: '', DATABASE_URL: '', DATA_DIR: dataDir };
  expect(await check(env, '--against', other)).toEqual({
    code: 1,
    stdout: expect.stringMatching(`^${workspaces.map((id) => `${id} ${why}\n`).join('')}$`),
    stderr: '2 of 4 saved operations would be broken.\n',
  });
});

test('says what is wrong with its arguments', async () => {
  expect(await check({ TOKEN: 'x' }, '--against', 'README.md')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: --against: README\.md is no GraphQL schema: Syntax Error/),
  });
  expect(await check({ TOKEN: 'x' }, '--against', current, '--url', 'http://127.0.0.1:9')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no gateway answers at http://127.0.0.1:9: fetch failed: '),
  });
  expect(await check({})).toMatchObject({ code: 1, stderr: expect.stringContaining('--against <schema file>') });
});
