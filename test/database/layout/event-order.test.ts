import { expect, test } from 'vitest';
import { transact } from '../../../src/database/client.ts';
import { newId } from '../../../src/database/ids.ts';
import { isCluster } from '../../support/database/cluster.ts';
import { moveToAnotherNode } from '../../support/database/distributed-database.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { makeWorkspace } from '../../support/gateway/factories.ts';
import { casesOf } from '../../support/random/cases.ts';
import { Random } from '../../support/random/random.ts';
import { seed } from '../../support/random/seed.ts';

const gateway = useGateway();

/** Events that one writer wrote, in order, between two moments. `isMoved`: with a position from elsewhere. */
type Written = { workspaceId: string; ids: string[]; began: number; ended: number; isMoved?: boolean };

/** How many numbers the sequence of a node had for itself. */
const numbersOfNode = 2n ** 48n;

const eventOf = (workspaceId: string) => ({ id: newId('event'), workspaceId, type: 'ping', data: {} });

/** Writers side by side, each of which writes events in one of the ways in which events are written. */
async function writeEvents(workspaceIds: string[], random: Random, writes: number): Promise<Written[]> {
  const { database } = gateway;
  const written: Written[] = [];
  let moment = 0;
  const write = async () => {
    const workspaceId = random.pick(workspaceIds);
    const events = Array.from({ length: random.between(1, 4) }, () => eventOf(workspaceId));
    const [first = eventOf(workspaceId)] = events;
    const all = { workspaceId, ids: events.map(({ id }) => id), began: moment++ };
    switch (random.pick(['together', 'transaction', 'alone', 'moved'])) {
      case 'together':
        await database.outboxEvent.createMany({ data: events });
        return written.push({ ...all, ended: moment++ });
      case 'transaction':
        await transact(database, async (tx) => {
          for (const data of events) await tx.outboxEvent.create({ data });
        });
        return written.push({ ...all, ended: moment++ });
      case 'alone':
        await database.outboxEvent.create({ data: first });
        return written.push({ ...all, ids: [first.id], ended: moment++ });
      default: {
        const position = numbersOfNode * BigInt(random.between(1, 12)) + BigInt(random.between(1, 1000));
        await database.outboxEvent.create({ data: { ...first, position } });
        return written.push({ ...all, ids: [first.id], ended: moment++, isMoved: true });
      }
    }
  };
  const writer = async () => {
    for (let each = 0; each < writes; each++) await write();
  };
  await Promise.all(Array.from({ length: 4 }, writer));
  return written;
}

test('an event comes after all that were written before it, on this node and on others', async () => {
  const random = new Random(seed);
  const workspaces = await Promise.all([1, 2, 3].map(() => makeWorkspace(gateway)));
  const ids = workspaces.map(({ id }) => id);
  const written = await writeEvents(ids, random, casesOf(100));
  const rows = await gateway.database.outboxEvent.findMany({ where: { workspaceId: { in: ids } } });
  const positions = new Map(rows.map(({ id, position }) => [id, position]));
  const positionsOf = (event: Written) => event.ids.map((id) => positions.get(id) ?? -1n);
  let pairs = 0;
  for (const later of written.filter(({ isMoved }) => !isMoved)) {
    const [first = -1n, ...others] = positionsOf(later);
    others.reduce((before, position) => {
      expect(position).toBeGreaterThan(before);
      return position;
    }, first);
    for (const earlier of written) {
      if (earlier.workspaceId !== later.workspaceId || earlier.ended >= later.began) continue;
      pairs += 1;
      for (const position of positionsOf(earlier)) expect(first, `${later.ids[0]}`).toBeGreaterThan(position);
    }
  }
  expect(pairs).toBeGreaterThan(casesOf(100));
});

test('a row that is copied with its position keeps it', async () => {
  const { id: workspaceId } = await makeWorkspace(gateway);
  const made = { ...eventOf(workspaceId), position: 7n };
  await gateway.database.outboxEvent.create({ data: eventOf(workspaceId) });
  expect((await gateway.database.outboxEvent.create({ data: made })).position).toBe(7n);
});

test.runIf(isCluster)(
  'events stay in order when their workspace moves from node to node',
  { timeout: 120_000 },
  async () => {
    const { id: workspaceId } = await makeWorkspace(gateway);
    const ids: string[] = [];
    for (let move = 0; move < 3; move++) {
      if (move > 0) await moveToAnotherNode(gateway.services.pool, workspaceId);
      for (let each = 0; each < 3; each++) {
        const data = eventOf(workspaceId);
        await gateway.database.outboxEvent.create({ data });
        ids.push(data.id);
      }
    }
    const rows = await gateway.database.outboxEvent.findMany({ where: { workspaceId }, orderBy: { position: 'asc' } });
    expect(rows.map(({ id }) => id)).toEqual(ids);
  },
);
