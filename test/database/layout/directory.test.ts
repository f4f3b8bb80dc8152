import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { transact } from '../../../src/database/client.ts';
import { addToDirectory, reconcileDirectory } from '../../../src/database/directory.ts';
import { newId } from '../../../src/database/ids.ts';
import { secretOf, useInvitations } from '../../support/auth/invitations.ts';
import { makeKey } from '../../support/auth/keys.ts';
import { isCluster } from '../../support/database/cluster.ts';
import { statementsOf } from '../../support/database/database.ts';
import { tablesWithoutValue } from '../../support/database/distributed-statements.ts';
import { tasksOf } from '../../support/database/plans.ts';
import { referencesIn, tablesWithoutWorkspace, withoutTexts } from '../../support/database/workspace-statements.ts';
import { makeMember, makeWorkspace } from '../../support/gateway/factories.ts';
import { makeWorld } from '../../support/world/world.ts';

const { gateway, home, other, invite, statusOf } = useInvitations();
const ownToken = (email: string) => gateway.services.tokens.signPerson(email);
const names = '{ agents { nodes { name } } }';

/** What asks more than one workspace of the statements that `work` sends, with the answer. */
async function askedEverywhere<T>(work: () => Promise<T>) {
  const { result, statements, recorded } = await statementsOf(work);
  const all = recorded.filter(({ text }) => referencesIn(withoutTexts(text)).length > 0);
  const counted = await Promise.all(all.map(async (each) => (isCluster ? tasksOf(gateway.handle, each) : 1)));
  return {
    result,
    sent: all.length,
    everywhere: [
      ...statements.filter((text) => [...tablesWithoutWorkspace(text), ...tablesWithoutValue(text)].length > 0),
      ...all.filter((_, index) => (counted[index] ?? 0) > 1).map(({ text }) => text),
    ],
  };
}

const post = (path: string, body: object) =>
  gateway.app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://shop.example' },
    body: JSON.stringify(body),
  });

test('a key, an app and a widget are looked up in their workspace alone', async () => {
  const create = async (field: string, input: object, selection: string) => {
    const Input = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
    const document = `mutation ($input: ${Input}!) { ${field}(input: $input) { ${selection} } }`;
    return (await gateway.data(home.owner, document, { input }))[field];
  };
  const { secret: key } = await create('createKey', { name: 'Key', scopes: ['agents.read'] }, 'secret');
  const given = { id: 'till', name: 'Till', color: '#2563eb', redirectUris: [], roles: ['viewer'] };
  const made = (await create('createApp', given, 'app { secret }')).app.secret;
  const rotated = (await create('rotateAppSecret', { id: 'till' }, 'app { secret }')).app.secret;
  for (const bearer of [key, rotated]) {
    const { result, sent, everywhere } = await askedEverywhere(() => gateway.graphql(bearer, names));
    expect(result.errors).toBeUndefined();
    expect({ everywhere, isAsked: sent > 0 }).toEqual({ everywhere: [], isAsked: true });
  }
  expect((await gateway.graphql(made, names)).errors).toBeDefined();

  const agent = (await create('createAgent', { name: 'Ana' }, 'agent { id }')).agent.id;
  await gateway.data(home.owner, `mutation { publishAgent(input: { id: "${agent}" }) { agent { id } } }`);
  const input = { agentId: agent, platform: 'widget', origins: ['https://shop.example'] };
  const { channel } = await create('createChannel', input, 'channel { publishableToken }');
  const body = { channel: channel.publishableToken };
  const entered = await askedEverywhere(async () => (await post('/widget/session', body)).status);
  expect(entered).toEqual({ result: 200, sent: expect.any(Number), everywhere: [] });
});

test('an OAuth state and its ticket are looked up in their workspace alone', async () => {
  const world = await makeWorld(gateway);
  await gateway.database.plugin.updateMany({
    where: { workspaceId: world.id },
    data: {
      authType: 'oauth',
      authorizationUrl: 'https://id.example/authorize',
      tokenUrl: 'https://id.example/token',
      oauthClientId: 'client',
    },
  });
  const { agentId, pluginId } = world.ids;
  const document = 'mutation ($i: AuthorizePluginInput!) { authorizePlugin(input: $i) { authorization { url } } }';
  const answer = await gateway.data(world.owner, document, { i: { agentId, pluginId } });
  const { pathname, search } = new URL(answer.authorizePlugin.authorization.url);
  const { result, everywhere } = await askedEverywhere(
    async () => (await gateway.app.request(pathname + search)).status,
  );
  expect({ result, everywhere }).toEqual({ result: 200, everywhere: [] });
});

test('a person’s memberships and invitations are looked up in their workspaces alone', async () => {
  const person = await makeMember(gateway, other.id, 'editor');
  const { email } = await gateway.database.user.findUniqueOrThrow({ where: { id: person.userId ?? '' } });
  const bearer = await ownToken(email);
  const alone = await askedEverywhere(() => gateway.data(bearer, '{ viewer { workspace { id } } }'));
  expect(alone).toMatchObject({ result: { viewer: { workspace: { id: other.id } } }, everywhere: [] });

  const { id, secret } = await invite(home.owner, email);
  expect(secret).toBe(secretOf(`#${secret}`));
  const invited = await askedEverywhere(() => gateway.data(bearer, '{ viewer { invitations { membershipId } } }'));
  expect(invited).toMatchObject({ result: { viewer: { invitations: [{ membershipId: id }] } }, everywhere: [] });
  const byLink = await askedEverywhere(() => gateway.data(secret, '{ viewer { invitations { membershipId } } }'));
  expect(byLink).toMatchObject({ result: { viewer: { invitations: [{ membershipId: id }] } }, everywhere: [] });

  const accepting = `mutation { acceptInvitation(input: { id: "${id}" }) { invitation { id } } }`;
  await gateway.data(bearer, accepting);
  // Of both workspaces, so that the token names neither.
  const viewer = (await gateway.data(bearer, '{ viewer { workspace { id } } }')).viewer;
  expect(viewer.workspace).toBeNull();
});

test('what an older gateway wrote is found, and from then on in its workspace alone', async () => {
  const bearer = await makeKey(gateway, home.owner, { scopes: ['agents.read'] });
  const key = await gateway.database.key.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
  await gateway.database.directory.deleteMany({ where: { key: key.secretHash } });
  expect((await gateway.graphql(bearer, names)).errors).toBeUndefined();
  const noted = await gateway.database.directory.findMany({ where: { key: key.secretHash } });
  expect(noted).toMatchObject([{ workspace: home.id }]);

  const person = await makeMember(gateway, home.id, 'viewer');
  const where = { key: person.userId ?? '' };
  await gateway.database.directory.deleteMany({ where });
  const { email } = await gateway.database.user.findUniqueOrThrow({ where: { id: where.key } });
  expect(await statusOf(await ownToken(email))).toBe(200);
  // What leads nowhere hides nothing.
  await gateway.database.directory.create({ data: { ...where, workspace: other.id } });
  await gateway.database.directory.deleteMany({ where: { ...where, workspace: home.id } });
  expect(await statusOf(await ownToken(email))).toBe(200);
});

test('the directory is revised: what is missing is added, and what leads nowhere goes once it is old', async () => {
  const { database } = gateway;
  const { id } = await makeWorkspace(gateway);
  const old = { workspace: id, notedAt: new Date(Date.now() - 7_200_000) };
  const [gone, recent] = [newId('user'), newId('user')];
  await database.directory.createMany({
    data: [
      { key: gone, ...old },
      { key: recent, workspace: id },
    ],
  });
  const { userId } = await database.membership.findFirstOrThrow({ where: { workspaceId: id } });
  const app = await database.app.findFirstOrThrow({ where: { workspaceId: id } });
  await database.directory.deleteMany({ where: { key: { in: [userId, app.secretHash] } } });
  await reconcileDirectory(gateway);
  const rows = await database.directory.findMany({ where: { workspace: id } });
  const keys = rows.map(({ key }) => key);
  expect(keys).toEqual(expect.arrayContaining([userId, app.secretHash, recent]));
  expect(keys).not.toContain(gone);
});

test('who becomes a member again while the directory is revised stays in it', async () => {
  const { database } = gateway;
  const { id } = await makeWorkspace(gateway);
  const userId = (await makeMember(gateway, id, 'viewer')).userId ?? '';
  const entry = { key_workspace: { key: userId, workspace: id } };
  await database.membership.deleteMany({ where: { workspaceId: id, userId } });
  await database.directory.update({ where: entry, data: { notedAt: new Date(Date.now() - 7_200_000) } });
  const written = Promise.withResolvers<void>();
  const revised = written.promise.then(() => reconcileDirectory(gateway));
  await transact(database, async (tx) => {
    await addToDirectory({ ...gateway.services, database: tx }, id, [userId]);
    await tx.membership.create({ data: { id: newId('membership'), workspaceId: id, userId, role: 'viewer' } });
    written.resolve();
    await pause(200);
  });
  await revised;
  expect(await database.directory.findUnique({ where: entry })).not.toBeNull();
});
