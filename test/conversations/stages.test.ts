import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { ConversationStage } from '../../src/database/generated/prisma/enums.ts';
import { newId } from '../../src/database/ids.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { useGateway } from '../support/gateway/app.ts';
import { casesOf } from '../support/random/cases.ts';
import { options, sampleOf } from '../support/random/seed.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
let bothWays: BothWays;
beforeAll(async () => {
  world = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
});

const update = `mutation ($input: UpdateConversationInput!) { updateConversation(input: $input) {
  conversation { stages { nodes { stage beganAt reachedAt elapsed } } } } }`;
const stageOf = async (id: string, input: object) =>
  (await gateway.data(world.owner, update, { input: { id, ...input } })).updateConversation.conversation.stages.nodes;

test('a conversation begins in identify, and keeps when it first reached each other stage', async () => {
  const { id, createdAt } = await gateway.database.conversation.create({ data: world.make.conversation() });
  const began = createdAt.toISOString();
  const [first, second, ...others] = await stageOf(id, { stage: 'assist' });
  expect([first, others]).toEqual([{ stage: 'identify', beganAt: began, reachedAt: began, elapsed: 0 }, []]);
  expect(second).toMatchObject({ stage: 'assist', beganAt: began });
  expect(second.elapsed).toBe(Math.round((Date.parse(second.reachedAt) - createdAt.getTime()) / 1_000));
  for (const stage of ['qualify', 'assist', 'identify', 'completed', 'assist']) await stageOf(id, { stage });
  const all = await stageOf(id, { title: 'The same stage' });
  expect(all.map(({ stage }: { stage: string }) => stage)).toEqual(['identify', 'assist', 'qualify', 'completed']);
  expect(all[1]).toEqual(second);
});

test('a conversation that is resolved is completed then, and goes with its stages', async () => {
  const { id } = await gateway.database.conversation.create({ data: world.make.conversation() });
  const stages = await stageOf(id, { status: 'resolved' });
  expect(stages.map(({ stage }: { stage: string }) => stage)).toEqual(['identify', 'completed']);
  const remove = 'mutation ($id: ID!) { deleteConversation(input: { id: $id }) { deletedId } }';
  await gateway.data(world.owner, remove, { id });
  expect(await gateway.database.reachedStage.count({ where: { workspaceId: world.id, conversationId: id } })).toBe(0);
});

describe('the funnel', () => {
  const begin = Date.parse('2026-09-01T00:00:00Z');
  beforeAll(async () => {
    const moves = fc.array(fc.tuple(fc.constantFrom(...Object.values(ConversationStage)), fc.nat({ max: 90_000 })), {
      maxLength: 6,
    });
    const row = fc.record({ moves, preview: fc.boolean(), days: fc.nat({ max: 27 }) });
    const { database } = gateway;
    for (const { moves: later, days, preview } of sampleOf(row, 40, 'rows of the funnel')) {
      let at = begin + days * 86_400_000;
      const createdAt = new Date(at);
      const id = newId('conversation');
      const data = { ...world.make.conversation(), id, preview, createdAt, updatedAt: createdAt };
      await database.conversation.create({ data });
      for (const [stage, seconds] of later) {
        at += (seconds + 1) * 1_000;
        const where = { workspaceId_id: { workspaceId: world.id, id } };
        await database.conversation.update({ where, data: { stage, updatedAt: new Date(at) } });
      }
    }
  });

  const asked = fc.record({
    from: fc.nat({ max: 14 }),
    days: fc.integer({ min: 1, max: 14 }),
    preview: fc.constantFrom(null, true, false),
  });

  test('of conversations that began in a time is what SQL counts, in one request, both ways', async () => {
    const property = fc.asyncProperty(asked, async ({ from, days, preview }) => {
      const [start, end] = [from, from + days].map((day) => new Date(begin + day * 86_400_000));
      const beganAt = { from: start, to: end };
      const conversation = preview === null ? {} : { conversation: { preview } };
      const { data, errors } = await bothWays.agree(
        world.owner,
        `query ($stages: ReachedStageFilter, $filter: ConversationFilter) {
          reachedStages(first: 0, filter: $stages) { groups(first: 10, orderBy: { field: by, direction: asc }) {
            nodes { by { stage } count distinct { conversationId } p50 { elapsed } max { elapsed } } } }
          conversations(first: 0, filter: $filter) { groups { nodes {
            count qualified: count(filter: { stages: { stage: [qualify] } })
            completed: ratio(of: count, ofFilter: { stages: { stage: [completed] } }) } } } }`,
        {
          stages: { beganAt, ...conversation },
          filter: { createdAt: beganAt, ...conversation.conversation },
        },
      );
      expect(errors).toBeUndefined();
      const expected = await gateway.database.$queryRawUnsafe<{ stage: string; n: number; p50: number; max: number }[]>(
        `SELECT s."stage"::text AS stage, count(DISTINCT c."id")::int AS n,
           percentile_disc(0.5) WITHIN GROUP (ORDER BY round(extract(epoch FROM s."reachedAt" - c."createdAt"))::int) AS p50,
           max(round(extract(epoch FROM s."reachedAt" - c."createdAt"))::int) AS max
         FROM "Conversation" c JOIN "ReachedStage" s ON s."workspaceId" = c."workspaceId" AND s."conversationId" = c."id"
         WHERE c."workspaceId" = $1 AND c."createdAt" >= $2 AND c."createdAt" < $3 AND coalesce(c."preview" = $4, true)
         GROUP BY s."stage" ORDER BY s."stage"::text COLLATE "C"`,
        world.id,
        start,
        end,
        preview,
      );
      type Group = { by: { stage: string }; count: number; distinct: { conversationId: number } } & Record<string, any>;
      const found = data.reachedStages.groups.nodes.map(({ by, count, distinct, p50, max }: Group) => {
        expect(distinct.conversationId).toBe(count);
        return { stage: by.stage, n: count, p50: p50.elapsed, max: max.elapsed };
      });
      expect(found).toEqual(expected);
      const reached = (stage: string) => expected.find((row) => row.stage === stage)?.n ?? 0;
      const [group] = data.conversations.groups.nodes;
      const all = reached('identify');
      expect(group).toEqual({
        count: all,
        qualified: reached('qualify'),
        completed: all === 0 ? null : reached('completed') / all,
      });
    });
    await fc.assert(property, options(casesOf(15), 'funnel'));
  });
});
