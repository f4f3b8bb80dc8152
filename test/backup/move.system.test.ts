import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  contentsOf,
  newPlace,
  type Place,
  removePlaces,
  runCommand,
  startCommand,
} from '../support/database/backups.ts';
import { ownerToken, startGateway } from '../support/gateway/gateway-process.ts';

const { kind } = inject('template');
/** Where data is moved to: on PostgreSQL from the embedded database, otherwise from one folder to another. */
const there = () => newPlace(kind);
const toOf = ({ databaseUrl, dataDir }: Place) => databaseUrl ?? dataDir;

/** Serves from a place, and returns how many conversations the demo workspace has. */
async function serve({ env }: Place): Promise<number> {
  const gateway = await startGateway(env);
  try {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await ownerToken(env)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ conversations { totalCount } }' }),
    });
    const { data } = (await response.json()) as { data: { conversations: { totalCount: number } } };
    return data.conversations.totalCount;
  } finally {
    await gateway.kill('SIGTERM');
  }
}

let source: Place;
let target: Place;
let count: number;
let before: Awaited<ReturnType<typeof contentsOf>>;

beforeAll(async () => {
  source = await newPlace('embedded');
  target = await there();
  count = await serve(source);
  before = await contentsOf(source);
}, 300_000);
afterAll(removePlaces);

describe('npm run move', () => {
  test('is refused while a gateway uses the data', async () => {
    const gateway = await startGateway(source.env);
    const refused = await runCommand('move', source, '--to', toOf(target));
    await gateway.kill('SIGTERM');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use by the process') });
    before = await contentsOf(source);
  }, 300_000);

  test.each(['Creating the tables\n', 'Copying Message\n'])(
    'killed at %j leaves the source as it was, and no gateway starts on the other database',
    async (step) => {
      const { result, killAt } = startCommand('move', source, '--to', toOf(target));
      killAt(step);
      expect((await result).code).toBeNull();
      expect(await contentsOf(source)).toEqual(before);
      expect(existsSync(path.join(source.dataDir, 'postgres.moved'))).toBe(false);
      await expect(startGateway(target.env, { errors: 'ignore' })).rejects.toThrow('did not start');
    },
    300_000,
  );

  test('continues with what has changed since, verifies everything, and closes the source', async () => {
    // The old database is used once more before the move is repeated.
    expect(
      await runCommand(
        'workspace',
        source,
        '--name',
        'Later',
        '--owner-name',
        'Ana',
        '--owner-email',
        'ana@later.example',
      ),
    ).toMatchObject({ code: 0 });
    before = await contentsOf(source);
    const moved = await runCommand('move', source, '--to', toOf(target));
    expect(moved).toMatchObject({ code: 0, stdout: expect.stringMatching(/Moved and verified \d+ rows/) });
    expect(moved.stderr).not.toContain('Copying Agent\n');
    expect(moved.stderr).toContain('Copying Workspace\n');
    expect(await contentsOf(target)).toEqual(before);
    for (const command of ['token', 'move']) {
      const args = command === 'move' ? ['--to', (await newPlace('embedded')).dataDir] : [];
      expect(await runCommand(command, source, ...args)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('was moved to'),
      });
    }
    expect(await runCommand('move', source, '--to', toOf(target))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was moved there already'),
    });
  }, 300_000);

  test('leaves a database that serves as before', async () => {
    const key = path.join(source.dataDir, 'encryption.key');
    if (target.databaseUrl) copyFileSync(key, path.join(target.dataDir, 'encryption.key'));
    expect(readFileSync(path.join(target.dataDir, 'encryption.key'), 'utf8')).toBe(readFileSync(key, 'utf8'));
    expect(await serve(target)).toBe(count);
  }, 300_000);

  test('moves back to a folder, unless a gateway is connected', async () => {
    const back = await newPlace('embedded');
    const gateway = await startGateway(target.env);
    const refused = await runCommand('move', target, '--to', back.dataDir);
    await gateway.kill('SIGTERM');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is in use by the process|Gateways serve this database/),
    });
    const contents = await contentsOf(target);
    expect(await runCommand('move', target, '--to', back.dataDir)).toMatchObject({ code: 0 });
    expect(await contentsOf(back)).toEqual(contents);
    expect(await serve(back)).toBe(count);
    await expect(startGateway(target.env, { errors: 'ignore' })).rejects.toThrow('did not start');
  }, 300_000);
});
