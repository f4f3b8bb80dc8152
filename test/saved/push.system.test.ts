import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { makeKey } from '../support/auth/keys.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let server: Listening;
let home: TestWorkspace;
let key: string;
let folder: string;
beforeAll(async () => {
  server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
  home = await makeWorkspace(gateway);
  key = await makeKey(gateway, home.editor, { scopes: ['operations.read', 'operations.write', 'agents.read'] });
  folder = mkdtempSync(path.join(tmpdir(), 'operations-'));
});
afterAll(async () => {
  await server.close(0);
  rmSync(folder, { recursive: true });
});

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
const push = async (token: string | undefined, ...args: string[]) => {
  const program = ['--disable-warning=ExperimentalWarning', 'src/cli/operations.ts', ...args];
  const env = { ...process.env, GATEWAY: server.url, TOKEN: token };
  return promisify(execFile)(process.execPath, program, { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
};
const saved = async () =>
  (
    await gateway.data(
      home.viewer,
      '{ operations(first: 9, orderBy: {field: name, direction: asc}) { nodes { name description } } }',
    )
  ).operations.nodes;

test('the documents of a folder are saved by the names of their files, and again only when they change', async () => {
  write(
    'NewestAgents.graphql',
    '# The newest.\n# Two of them.\n\nquery Newest { agents(first: 2) { nodes { name } } }\n',
  );
  write('how_many.gql', '{ agents { totalCount } }');
  const first = await push(key, 'push', folder);
  expect(first).toEqual({ code: 0, stdout: 'created newest-agents\ncreated how-many\n', stderr: '' });
  expect(await saved()).toEqual([
    { name: 'how-many', description: '' },
    { name: 'newest-agents', description: 'The newest.\nTwo of them.' },
  ]);
  write('how_many.gql', '# All.\n{ agents { totalCount } }');
  expect((await push(key, 'push', folder)).stdout).toBe('unchanged newest-agents\nupdated how-many\n');
});

test('a document that is refused is named, and keeps no other from being saved', async () => {
  write('Broken.graphql', '{ gone }');
  write('Total.graphql', '{ leads { totalCount } }');
  const { code, stdout, stderr } = await push(key, 'push', folder);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: Broken.graphql: Line 1: Cannot query field "gone" on type "Query"\..*\n$/),
  ]);
  expect(stdout).toContain('created total\n');
});

test('what is missing is said', async () => {
  expect(await push(undefined, 'push', folder)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: TOKEN:/),
  });
  expect(await push(key, 'pull', folder)).toMatchObject({ code: 1, stderr: expect.stringMatching(/push <folder>/) });
  expect(await push(key, 'push', path.join(folder, 'none'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no \.graphql files/),
  });
  const reader = await makeKey(gateway, home.editor, { scopes: ['operations.read'] });
  write('Another.graphql', '{ leads { totalCount } }');
  expect(await push(reader, 'push', folder)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('operations.write'),
  });
});
