import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBackupFolder, type Manifest, tableFileOf } from '../../src/backup/manifest.ts';
import { writeBackup } from '../../src/backup/write.ts';
import { transact } from '../../src/database/client.ts';
import { type CopyDatabase, openForCopy } from '../../src/database/copy/session.ts';
import { newId } from '../../src/database/ids.ts';
import { addMember } from '../../src/domain/workspace/memberships.ts';
import { isCluster } from '../support/database/cluster.ts';
import { moveToAnotherNode } from '../support/database/distributed-database.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parley-cluster-backup-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The tests' database, which does something before it reads each table. */
async function reading(before: (select: string) => Promise<void>): Promise<CopyDatabase> {
  const database = await openForCopy({ databaseUrl: gateway.handle.pool.url ?? '', dataDir: '' });
  return {
    ...database,
    session: (work) =>
      database.session((session) =>
        work({
          ...session,
          async *copyOut(select) {
            await before(select);
            yield* session.copyOut(select);
          },
        }),
      ),
  };
}

async function backUp(before: (select: string) => Promise<void>): Promise<Manifest> {
  await createBackupFolder(folder);
  const { storage, now } = gateway.services;
  return writeBackup({ open: () => reading(before), storage, folder, now: now() });
}

/** The rows of a table in a backup. */
async function rowsOf({ tables }: Manifest, name: string): Promise<Record<string, string>[]> {
  const columns = tables.find((table) => table.name === name)?.columns ?? [];
  const text = gunzipSync(await readFile(tableFileOf(folder, name))).toString();
  const lines = text.split('\n').filter(Boolean);
  return lines.map((line) => Object.fromEntries(line.split('\t').map((value, place) => [columns[place], value])));
}

/** Adds new people to a workspace, each with an event in the same transaction, until `isOver`. */
async function addPeople({ id }: TestWorkspace, isOver: () => boolean): Promise<number> {
  let count = 0;
  while (!isOver()) {
    const person = { name: 'Ana', email: `${newId('user')}@example.com` };
    await transact(gateway.database, async (tx) => {
      await addMember(gateway.services, tx, id, 'viewer', person);
      await tx.outboxEvent.create({ data: { id: newId('event'), workspaceId: id, type: 'joined', data: {} } });
    });
    count += 1;
  }
  return count;
}

describe.runIf(process.env.TEST_DATABASE_URL)('a backup during writes', () => {
  test('has each workspace as it was at one moment, and every person that its rows refer to', async () => {
    const workspaces = await Promise.all(Array.from({ length: 4 }, () => makeWorkspace(gateway)));
    let isOver = false;
    const writers = workspaces.map((workspace) => addPeople(workspace, () => isOver));
    const manifest = await backUp(() => sleep(20)).finally(() => (isOver = true));
    const written = await Promise.all(writers);
    const [events, memberships, people] = await Promise.all(
      ['OutboxEvent', 'Membership', 'User'].map((name) => rowsOf(manifest, name)),
    );
    const ids = new Set(people?.map(({ id }) => id));
    expect(memberships?.filter(({ userId }) => !ids.has(userId))).toEqual([]);
    const [first] = await Promise.all(
      workspaces.map(async ({ id }) => {
        const joined = events?.filter(({ workspaceId, type }) => workspaceId === id && type === 'joined') ?? [];
        const members = memberships?.filter(({ workspaceId }) => workspaceId === id) ?? [];
        // Those that it was made with have none.
        expect(members.length - 4).toBe(joined.length);
        return joined.length;
      }),
    );
    // Otherwise nothing was written meanwhile.
    expect(written[0]).toBeGreaterThan(first ?? 0);
  });

  test.runIf(isCluster)('fails if shards were moved meanwhile, and says so', { timeout: 120_000 }, async () => {
    const { id } = await makeWorkspace(gateway);
    const move = async (select: string) => {
      if (select.includes('"OutboxEvent"')) await moveToAnotherNode(gateway.services.pool, id);
    };
    await expect(backUp(move)).rejects.toThrow(/Shards were moved/);
  });
});
