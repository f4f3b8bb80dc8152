import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { transact } from '../../src/database/client.ts';
import { mergeMessageSegments } from '../../src/search/messages/merging.ts';
import { indexMessages } from '../../src/search/messages/writer.ts';
import { seedConversation } from '../support/conversations/seeded-conversation.ts';
import { testDatabase } from '../support/database/database.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';
import { casesOf } from '../support/random/cases.ts';
import { Random } from '../support/random/random.ts';
import { seed } from '../support/random/seed.ts';

const { gateway, home } = useWorkspaces(testDatabase);

const perSegment = 12;

type Counted = { number: bigint; live: number; messages: number };

/** For each segment of the index, how many messages it says it has, and how many there are. */
const countSegments = (): Promise<Counted[]> => gateway.database.$queryRaw`
  SELECT part."number", part."live", (
    SELECT count(*)::int FROM "Message" WHERE "workspaceId" = ${home.id}
      AND "searchNumber" >= part."first" AND "searchNumber" < part."first" + part."size"
  ) AS "messages"
  FROM "MessageSegment" AS part WHERE part."workspaceId" = ${home.id} AND NOT part."draft"`;

test('messages that are deleted while segments are merged leave the index', { timeout: 120_000 }, async () => {
  const { database } = gateway;
  const random = new Random(seed);
  for (let round = 0; round < casesOf(5); round++) {
    const left: string[] = [];
    for (let segment = 0; segment < 10; segment++) {
      const texts = Array.from({ length: perSegment }, (_, at) => `pedido ${segment} ${at}`);
      left.push(...(await seedConversation(gateway, home, texts)).ids);
      await indexMessages(database, home.id, { min: 1 });
    }
    const deleted = random.shuffled(left).slice(0, random.between(20, left.length - 10));
    const deleter = async () => {
      for (let ids = deleted.splice(0, random.between(1, 4)); ids.length > 0; ids = deleted.splice(0, 3)) {
        const later = random.chance(0.3) ? deleted.splice(0, 2) : [];
        const pause = random.between(0, 3);
        await transact(database, async (tx) => {
          await tx.message.deleteMany({ where: { workspaceId: home.id, id: { in: ids } } });
          await setTimeout(pause);
          if (later.length > 0) await tx.message.deleteMany({ where: { workspaceId: home.id, id: { in: later } } });
        });
      }
    };
    const deleters = Promise.all([deleter(), deleter()]);
    let ended = false;
    const merger = async () => {
      while (!ended) await mergeMessageSegments(database, home.id);
    };
    const merged = merger();
    await deleters.finally(() => (ended = true));
    await merged;
    const segments = await countSegments();
    expect(segments.length).toBeGreaterThan(0);
    for (const { number, live, messages } of segments) expect(live, `segment ${number}`).toBe(messages);
  }
});
