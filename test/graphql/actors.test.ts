import { beforeAll, describe, expect, test } from 'vitest';
import { statementsOf } from '../support/database/database.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeMember, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { withStoppedClock } from '../support/gateway/stopped-clock.ts';

// The test counts the resolvers' statements; a compiled query needs only one.
const gateway = useGateway({ COMPILED_QUERIES: 'off' });
let home: TestWorkspace;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
});

const actors =
  '{ agents(search: "acted") { nodes { creator { __typename ... on User { email } ... on App { id } } updater { __typename } } } }';

describe('who made a row', () => {
  test('is a member or an app, read in two statements however many rows ask', async () => {
    for (let i = 0; i < 5; i++) await makeAgent(gateway, i % 2 ? home.editor : home.app, { name: `acted ${i}` });
    const { result, statements } = await withStoppedClock(async () => {
      await gateway.data(home.viewer, actors);
      return statementsOf(() => gateway.data(home.viewer, actors));
    });
    const user = await gateway.database.user.findUniqueOrThrow({ where: { id: home.editor.userId ?? '' } });
    expect(result.agents.nodes.map(({ creator }: { creator: object }) => creator)).toEqual([
      { __typename: 'App', id: 'portal' },
      { __typename: 'User', email: user.email },
      { __typename: 'App', id: 'portal' },
      { __typename: 'User', email: user.email },
      { __typename: 'App', id: 'portal' },
    ]);
    expect(statements).toHaveLength(3);
  });

  test('is null once they are no longer in the workspace', async () => {
    const member = await makeMember(gateway, home.id, 'editor');
    const { id } = await makeAgent(gateway, member);
    await gateway.database.membership.deleteMany({ where: { id: member.membershipId ?? '' } });
    expect(await gateway.data(home.viewer, `{ agent(id: "${id}") { createdBy creator { __typename } } }`)).toEqual({
      agent: { createdBy: member.userId, creator: null },
    });
  });
});
