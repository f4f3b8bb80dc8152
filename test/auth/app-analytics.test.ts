import { beforeAll, describe, expect, test } from 'vitest';
import { type MemberRole, memberRoles } from '../../src/core/roles.ts';
import { newId } from '../../src/database/ids.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home } = useWorkspaces();
const replyTime = 1_234;

beforeAll(async () => {
  const { id: agentId } = await makeAgent(gateway, home.editor);
  const channel = await gateway.data(
    home.editor,
    'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }',
    { input: { agentId, platform: 'widget' } },
  );
  const of = { workspaceId: home.id, agentId, channelId: channel.createChannel.channel.id };
  const conversationId = newId('conversation');
  await gateway.database.conversation.create({
    data: {
      id: conversationId,
      ...of,
      title: '',
      platform: 'widget',
      stage: 'assist',
      status: 'active',
      platformUserIdentifier: '',
    },
  });
  const message = { id: newId('message'), conversationId, ...of, position: 0, role: 'assistant' as const };
  await gateway.database.message.create({ data: { ...message, replyTime, cost: 0.5, model: 'm' } });
});

const numbers = '{ messages(first: 0) { groups { nodes { by { model } sum { cost } p95 { replyTime } } } } }';
const usage = '{ usage { breakdown(by: [model]) { count cost } } }';

let count = 0;
async function makeApp() {
  const input = { id: `reports-${++count}`, name: 'Reports' };
  const made = await gateway.data(
    home.owner,
    'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { id secret } } }',
    { input },
  );
  return made.createApp.app as { id: string; secret: string };
}
const setRole = (appId: string, role: MemberRole | null) =>
  gateway.data(home.owner, 'mutation ($input: SetRoleInput!) { setRole(input: $input) { role { role } } }', {
    input: { membershipId: home.admin.membershipId, appId, role },
  });
const mint = (secret: string, role: MemberRole) =>
  gateway.rest(secret, 'POST', '/rest/apps/auth', { userId: home.admin.userId, role, tenantId: home.id });

describe('numbers that need analytics.read', () => {
  test('are refused to the secret of an app, by field', async () => {
    const { secret } = await makeApp();
    expectFailure(
      await gateway.graphql(secret, numbers),
      'forbidden',
      /^(sum.cost|p95.replyTime): needs the permission/,
    );
    expect((await gateway.graphql(secret, '{ messages { groups { nodes { count } } } }')).errors).toBeUndefined();
  });

  test.each(memberRoles.slice(0, 3))('are told to the token that an app gets for a member as %s', async (role) => {
    const { id, secret } = await makeApp();
    await setRole(id, role);
    const { status, body } = await mint(secret, role);
    expect(status).toBe(200);
    const { messages } = await gateway.data(body.token, numbers);
    expect(messages.groups.nodes).toEqual([{ by: { model: 'm' }, sum: { cost: 0.5 }, p95: { replyTime } }]);
    expect((await gateway.graphql(body.token, usage)).errors).toBeUndefined();
  });

  test('end with the role that the member has in the app', async () => {
    const { id, secret } = await makeApp();
    await setRole(id, 'viewer');
    const { body } = await mint(secret, 'viewer');
    await gateway.data(body.token, numbers);
    await setRole(id, null);
    expectFailure(await gateway.graphql(body.token, numbers), 'unauthorized');
    expect((await mint(secret, 'viewer')).status).toBe(403);
  });

  test('are in no key that such a token makes, since it makes none', async () => {
    const { id, secret } = await makeApp();
    await setRole(id, 'editor');
    const { body } = await mint(secret, 'editor');
    const answer = await gateway.graphql(
      body.token,
      'mutation { createKey(input: {name: "k", scopes: ["analytics.read"]}) { secret } }',
    );
    expectFailure(answer, 'forbidden');
  });
});
