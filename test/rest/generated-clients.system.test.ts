import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const run = promisify(execFile);
type Sampled = { operationId: string; 'x-codeSamples': { label: string; source: string }[] };
const packages = resolve('test/clients/node_modules');
const installed = existsSync(packages);
/** Each generator, with its command in its folder of test/clients. None needs the network. */
const generators: Record<string, [script: string, ...args: string[]]> = {
  'openapi-fetch': ['../node_modules/openapi-typescript/bin/cli.js', '../openapi.json', '--output', 'schema.ts'],
  orval: ['../node_modules/orval/dist/bin/orval.mjs'],
  'hey-api': ['../node_modules/@hey-api/openapi-ts/bin/run.js'],
  kubb: ['generate.mjs'],
};

const where = installed ? '' : ' (left out: npm ci --ignore-scripts --prefix test/clients installs their generators)';

describe.skipIf(!installed)(`clients generated from openapi.json${where}`, () => {
  const gateway = useGateway();
  let home: TestWorkspace;
  let server: Listening;
  let folder: string;

  beforeAll(async () => {
    home = await makeWorkspace(gateway);
    server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
    folder = await mkdtemp(join(tmpdir(), 'parley-clients-'));
    const filter = (path: string) => resolve(path) !== packages;
    await cp('test/clients', folder, { recursive: true, filter });
    await symlink(packages, join(folder, 'node_modules'));
    // As a gateway with PUBLIC_URL serves it.
    const description = { ...JSON.parse(await readFile('openapi.json', 'utf8')), servers: [{ url: server.url }] };
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(description));
  });
  afterAll(async () => {
    await server?.close(0);
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test('the samples of the typed client compile', async () => {
    const cwd = join(folder, 'samples');
    await mkdir(cwd);
    await node(cwd, ...(generators['openapi-fetch'] ?? ['']));
    const { paths } = JSON.parse(await readFile('openapi.json', 'utf8')) as { paths: Record<string, object> };
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods) as Sampled[]);
    for (const { operationId, 'x-codeSamples': samples } of operations) {
      const { source } = samples.find(({ label }) => label === 'openapi-fetch') ?? { source: '' };
      await writeFile(join(cwd, `${operationId}.ts`), source.replace("'./schema.ts'", "'./schema.js'"));
    }
    const types =
      'declare const process: { env: Record<string, string> }; declare const console: { log(it: unknown): void };';
    await writeFile(join(cwd, 'globals.d.ts'), types);
    await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ extends: '../tsconfig.json', include: ['**/*.ts'] }));
    await node(cwd, resolve('node_modules/typescript/bin/tsc'));
    expect(operations.length).toBeGreaterThan(28);
  });

  test('the description has no problem by the strict rules of Redocly, which find one that is broken', async () => {
    const problemsOf = async (file: string) =>
      JSON.parse(await node(join(folder, 'redocly'), 'lint.mjs', resolve(file)));
    expect(await problemsOf('openapi.json')).toEqual([]);
    const { paths, ...rest } = JSON.parse(await readFile('openapi.json', 'utf8')) as { paths: Record<string, object> };
    const broken = join(folder, 'broken.json');
    await writeFile(broken, JSON.stringify({ ...rest, paths: { ...paths, '/other': { get: { responses: {} } } } }));
    expect(await problemsOf(broken)).toContainEqual(expect.stringMatching(/^operation-operationId: .*~1other/));
  });

  test.each(Object.entries(generators))('%s: the client compiles and runs', async (name, generate) => {
    const agent = await makeAgent(gateway, home.owner);
    const cwd = join(folder, name);
    await node(cwd, ...generate);
    await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ extends: '../tsconfig.json', include: ['**/*.ts'] }));
    await node(cwd, resolve('node_modules/typescript/bin/tsc'));
    const at = { url: server.url, bearer: await gateway.bearer(home.owner), agentId: agent.id };
    const script = `import { run } from '../built/${name}/program.js';
      console.log(JSON.stringify(await run(${JSON.stringify(at)})));`;
    const seen = JSON.parse(await node(cwd, '--input-type=module', '--eval', script));
    expect(seen).toEqual({
      agents: expect.arrayContaining([agent.id]),
      lead: ['Ana', 'ana@example.com'],
      base: 'Hours',
      reply: ['assistant', expect.stringMatching(/\S/)],
      refused: [400, 'invalid_request', expect.stringMatching(/^message\.role/)],
    });
  });
});

/** Runs a Node script in a folder, and returns its output. Throws with the script's error output. */
async function node(cwd: string, ...args: string[]): Promise<string> {
  try {
    return (await run(process.execPath, args, { cwd, maxBuffer: 10_000_000 })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${args[0]} failed:\n${stdout}\n${stderr}`.slice(0, 5_000), { cause: error });
  }
}
