import { beforeAll, expect, test } from 'vitest';
import { createPartsWriter, readStreams } from '../../src/domain/turns/stream-store.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
const turnIds: string[] = [];
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  const agent = await makeAgent(gateway, home.editor);
  for (const content of ['One', 'Two'])
    await gateway.rest(home.editor, 'POST', `/api/${agent.id}`, { message: { content } });
  const turns = await gateway.database.turn.findMany({ where: { workspaceId: home.id } });
  turnIds.push(...turns.map(({ id }) => id));
});

const partOf = (delta: string) => ({ type: 'text-delta', id: '0', delta });
const read = async (id = '') => {
  const [stream] = await readStreams(gateway.database, [{ workspaceId: home.id, id, position: 0 }]);
  return stream?.events.map(({ part }) => part.delta);
};

test('parts of a turn that is gone are refused, and those written with them are kept', async () => {
  const write = createPartsWriter(gateway.services.pool);
  const [first, second] = turnIds;
  const results = await Promise.allSettled(
    [first, 'msg_00000000000000000000000000', second].map((id = '') =>
      write({ workspaceId: home.id, id }, { position: 0, parts: [partOf('a "word"\n'), partOf('é')] }),
    ),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect([await read(first), await read(second)]).toEqual([
    ['a "word"\n', 'é'],
    ['a "word"\n', 'é'],
  ]);
});

test('a repeated write adds what it has more', async () => {
  const write = createPartsWriter(gateway.services.pool);
  const key = { workspaceId: home.id, id: turnIds[0] ?? '' };
  await write(key, { position: 2, parts: [partOf('c')] });
  await write(key, { position: 2, parts: [partOf('c'), partOf('d')] });
  await write(key, { position: 2, parts: [partOf('c')] });
  expect((await read(key.id))?.slice(2)).toEqual(['c', 'd']);
});
