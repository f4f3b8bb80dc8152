import { expect, test } from 'vitest';
import type { Services } from '../../src/context.ts';
import { finishErasure, resumeErasures } from '../../src/domain/erasure/job.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';
import { filesWith, plantPerson } from '../support/world/canary.ts';

const { gateway, home } = useWorkspaces();
const erase = 'mutation ($input: ErasePersonInput!) { erasePerson(input: $input) { receipt { id } } }';
const { signal } = new AbortController();

test('an erasure whose files could not be deleted stays in progress, and is finished by a later try', async () => {
  const { email, fileId } = await plantPerson(gateway, home, 'zqlater');
  const { erasePerson } = await gateway.data(home.admin, erase, { input: { email } });
  const receiptId = erasePerson.receipt.id;
  const job = { workspaceId: home.id, receiptId };
  const refuse = () => Promise.reject(new Error('The storage is out of reach'));
  const storage = { ...gateway.services.storage, delete: refuse };
  await expect(finishErasure({ ...gateway.services, storage }, job, signal)).rejects.toThrow('out of reach');
  const read = () => gateway.database.erasureReceipt.findFirst({ where: { id: receiptId } });
  expect(await read()).toMatchObject({ status: 'in_progress', filesDeletedAt: null, completedAt: null });

  await finishErasure(gateway.services, job, signal);
  expect(await read()).toMatchObject({ status: 'completed', filesDeletedAt: expect.any(Date) });
  expect(await gateway.database.storedFile.count({ where: { id: fileId } })).toBe(0);
  const { storage: config } = gateway.services.config;
  expect(config.kind === 'folder' && filesWith(config.folder, 'zqlater')).toEqual([]);
  // What is finished is not done again.
  const first = await read();
  await finishErasure(gateway.services, job, signal);
  expect(await read()).toEqual(first);
});

test('all erasures that a job gave up are queued again, in bounded steps', async () => {
  const ids = Array.from({ length: 1_001 }, (_, index) => `ers_${String(index).padStart(26, '0')}`);
  const data = ids.map((id) => ({ id, workspaceId: home.id, deleted: {}, remains: [] }));
  await gateway.database.erasureReceipt.createMany({ data });
  const queued: string[][] = [];
  const enqueue = async (jobs: { key: string }[]) => void queued.push(jobs.map(({ key }) => key));
  const queue = { transact: (work: (tx: unknown, add: typeof enqueue) => unknown) => work(null, enqueue) };
  await resumeErasures({ ...gateway.services, queue } as unknown as Services);
  expect(queued.map((jobs) => jobs.length)).toEqual([500, 500, 1]);
  expect(queued.flat()).toEqual(ids);
  await gateway.database.erasureReceipt.deleteMany({ where: { id: { in: ids } } });
});
