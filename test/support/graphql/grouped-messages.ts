import type fc from 'fast-check';
import { beforeAll, expect } from 'vitest';
import { newId } from '../../../src/database/ids.ts';
import { BothWays } from '../compiled/both-ways.ts';
import { useGateway } from '../gateway/app.ts';
import { sampleOf } from '../random/seed.ts';
import { makeWorld, type World } from '../world/world.ts';

type Row = { topic: number; at: number; [column: string]: unknown };

type Options = { about: string; count: number; begin: number; now?: Date };

/**
 * A world whose only messages are random ones of one conversation, `topic` being in their metadata and `at` in
 * milliseconds from `begin`; and how to ask for them both ways.
 */
export function useMessages(row: fc.Arbitrary<Row>, { about, count, begin, now }: Options) {
  const gateway = useGateway();
  let world: World;
  let bothWays: BothWays;
  beforeAll(async () => {
    world = await makeWorld(gateway);
    if (now) gateway.services.now = () => now;
    bothWays = new BothWays(gateway);
    const { id: workspaceId, ids } = world;
    await gateway.database.message.deleteMany({ where: { workspaceId } });
    const data = sampleOf(row, count, about).map(({ topic, at, ...columns }, position) => ({
      ...columns,
      id: newId('message'),
      workspaceId,
      conversationId: ids.conversationId as string,
      position,
      role: 'assistant' as const,
      metadata: { topic: `${topic}` },
      createdAt: new Date(begin + at),
    }));
    await gateway.database.message.createMany({ data });
  });
  const ask = (query: string, variables: object = {}, viewer = world.owner) => bothWays.agree(viewer, query, variables);
  return {
    gateway,
    get world() {
      return world;
    },
    get bothWays() {
      return bothWays;
    },
    ask,
    /** The data of an operation without errors. */
    read: async (query: string, variables: object = {}) => {
      const { data, errors } = await ask(query, variables);
      expect(errors).toBeUndefined();
      return data;
    },
  };
}
