import { afterAll, describe, expect, inject, test } from 'vitest';
import { newPlace, removePlaces, runCommand } from '../../support/database/backups.ts';
import { standInForCitus } from '../../support/database/citus-stand-in.ts';
import { onServer } from '../../support/database/database.ts';

afterAll(removePlaces);

test('npm run distribute refuses the embedded database, and a number of shards that makes no sense', async () => {
  const place = await newPlace('embedded');
  const told = async (...args: string[]) => (await runCommand('distribute', place, ...args)).stderr;
  expect(await told('--shards', '8')).toMatch(/^error: The embedded database is not distributed: set DATABASE_URL /);
  expect(await told('--shards', '1')).toMatch(/^error: --shards must be a whole number from 2 to 1024$/m);
  expect(await told()).toContain('npm run --silent distribute -- --shards <2 to 1024>');
});

describe.runIf(inject('template').kind === 'postgres')('npm run distribute, in an empty database,', () => {
  test('says on a plain server what is missing', async () => {
    const place = await newPlace('postgres');
    const { code, stderr } = await runCommand('distribute', place, '--shards', '8');
    expect(stderr).toMatch(/^error: The database has no extension citus: run CREATE EXTENSION citus in it/m);
    expect(code).toBe(1);
  });

  test('migrates it on a cluster, and says what stands where', async () => {
    const place = await newPlace('postgres');
    await onServer(place.databaseUrl ?? '', standInForCitus);
    const { code, stdout, stderr } = await runCommand('distribute', place, '--shards', '8');
    expect(stderr).toMatch(/^Applying \d+ migrations\nCopying User to all nodes\nDistributing Workspace by id\n/);
    expect(stdout).toMatch(/^On all nodes, by workspace: Agent, AgentBase, .*\nA copy on each node: User\n/);
    expect(stdout).toMatch(
      /^On the coordinator: DemoProgress, Directory, EncryptionKey, Gateway, .*, and the schema pgboss$/m,
    );
    expect(code).toBe(0);
  });
});
