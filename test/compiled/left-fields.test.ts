import { beforeAll, describe, expect, test } from 'vitest';
import { BothWays } from '../support/compiled/both-ways.ts';
import { statementsOf } from '../support/database/database.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let bothWays: BothWays;
let world: World;

beforeAll(async () => {
  bothWays = new BothWays(gateway);
  world = await makeWorld(gateway);
});

const isCompiled = (text: string) => text.includes('SELECT \'{"data"');
const absent = '"agt_00000000000000000000000000"';

describe('an operation of which some fields fail', () => {
  test.each([
    ['a row that is not there', `{ agent(id: ${absent}) { id } }`],
    ['that and a row that is', `{ a: agent(id: ${absent}) { id } b: agents(first: 1) { nodes { id } } }`],
    ['an absent node', `{ node(id: ${absent}) { id } }`],
    ['a wrong argument', '{ agents(first: -1) { totalCount } }'],
    ['a wrong argument of a list of which nothing is read', '{ agents(first: -1) { __typename } }'],
    ['a wrong cursor of the list of each row', '{ agents { nodes { conversations(after: "x") { __typename } } } }'],
    ['a wrong argument beside what is read', '{ agents(first: -1) { totalCount } leads(first: 1) { totalCount } }'],
    ['a list that may not be read, nor is', '{ webhooks { totalCount @skip(if: true) } }'],
    ['a list that may not be read', '{ webhooks { totalCount } agents { totalCount } }'],
    ['a field of a row that its resolver refuses', '{ usage { before(last: 0) { month } } agents { totalCount } }'],
  ])('answers the rest, and the errors as the resolvers do: %s', async (_what, query) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { compiled, resolvers } = await bothWays.ask(world.viewer, { query }, { accept });
      expect(compiled).toEqual({ ...resolvers, served: true });
    }
  });

  test('is left to the resolvers if the field is beneath a row', async () => {
    const query = '{ conversations(first: 2) { nodes { id messages(search: "a", first: -1) { totalCount } } } }';
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
    expect(JSON.parse(resolvers.body).errors).not.toHaveLength(0);
    expect(compiled.body).toBe(resolvers.body);
  });
});

describe('fields that are not in the database', () => {
  test.each([
    ['beneath a row', '{ workspace { name usage { month before(last: 1) { month } } } }'],
    ['of the viewer', '{ viewer { role invitations { id } user { id } } }'],
    ['the price of it all', '{ rateLimit { cost remaining } agents(first: 2) { nodes { id name } } }'],
    ['a dry run that is skipped', '{ rateLimit(dryRun: true) @skip(if: true) { cost } agents { totalCount } }'],
    ['at the root', '{ models { name } agents(first: 2) { nodes { id name } } }'],
    ['of each row', '{ conversations(first: 3) { nodes { id branchedFrom { messageId } } } }'],
    ['with a selection of their own', '{ gaps(first: 2) { nodes { question proposedAnswer { id text } } } }'],
    ['with rows in them', '{ evaluationRuns(first: 2) { nodes { passedShare foundShare } } }'],
    ['in a search that ranks', '{ conversations(search: "a", first: 2) { edges { node { id } match { rank } } } }'],
    [
      'in a search of the rows of a row',
      '{ agents(first: 2) { nodes { id conversations(search: "a") { totalCount edges { cursor match { rank } } } } } }',
    ],
    [
      'twice, with different selections',
      '{ a: viewer { invitations { id } user { id } } b: viewer { invitations { membershipId } user { id } } agents(first: 1) { totalCount } }',
    ],
  ])('are answered by their resolvers, the rest by one statement: %s', async (_what, query) => {
    await bothWays.ask(world.owner, { query });
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
    expect(resolvers.body).not.toContain('"errors"');
    expect(compiled).toEqual({ ...resolvers, served: !query.startsWith('{ conversations(search') });
    const { statements } = await statementsOf(() => bothWays.askOne('compiled', world.owner, { query }));
    expect(statements.filter(isCompiled)).toHaveLength(compiled.served ? 1 : 0);
  });
});

describe('rows that the viewer has of its own, and values of them', () => {
  test.each([
    [
      'usage',
      '{ usage { month current max subscriptionId subscription { id status } } workspace { usage { current } } }',
    ],
    ['settings', '{ settings { merge retention workspace { name } } }'],
    [
      'the viewer',
      '{ viewer { role permissions termsAccepted user { id } membership { role } app { id } workspace { name } } }',
    ],
    ['terms', '{ termsAccepted agents { totalCount } }'],
    [
      'the state of a token',
      '{ credentialState(PAIR) { agentId status failure renewable scope grantedBy expiresAt } }',
    ],
    ['a token', '{ credential(PAIR) { accessToken } }'],
  ])('are read by one statement: %s', async (_what, query) => {
    const { agentId, pluginId } = world.ids;
    const asked = query.replace('PAIR', `agentId: "${agentId}", pluginId: "${pluginId}"`);
    for (const viewer of [world.owner, world.viewer, world.app]) {
      const { compiled, resolvers } = await bothWays.ask(viewer, { query: asked });
      expect(compiled.body).toBe(resolvers.body);
      if (resolvers.body.includes('"errors"')) continue;
      const { result, statements } = await statementsOf(() => bothWays.askOne('compiled', viewer, { query: asked }));
      expect(result.served).toBe(true);
      expect(bothWays.said).toBe('');
      expect(statements.filter((text) => /"(?:Usage|Settings|User|Credential)"/.test(text))).toHaveLength(1);
    }
  });
});

describe('a channel that was removed', () => {
  beforeAll(async () => {
    await gateway.data(world.owner, remove, { id: world.ids.channelId });
  });
  const remove = 'mutation ($id: ID!) { deleteChannel(input: { id: $id }) { deletedId } }';
  const channelOf = (selection: string) => `{ conversations(first: 5) { nodes { channel { id ${selection} } } } }`;

  test.each([
    ['rows', 'conversations(first: 2) { nodes { id } }'],
    ['rows twice', 'a: conversations(first: 1) { nodes { id } } b: conversations(first: 2) { nodes { title } }'],
    ['a search that ranks', 'conversations(search: "a") { totalCount edges { cursor match { rank } } }'],
    [
      'a related row twice',
      'a: agent { id } b: agent { name conversations(search: "a") { edges { match { rank } } } }',
    ],
  ])('is still read through its conversations: %s', async (_what, selection) => {
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query: channelOf(selection) });
    expect(resolvers.body).toContain(`"channel":{"id":"${world.ids.channelId}"`);
    expect(resolvers.body).not.toContain('"errors"');
    expect(compiled.body).toBe(resolvers.body);
  });

  test('is no node', async () => {
    const { channelId, agentId } = world.ids;
    const query = `{ node(id: "${channelId}") { id } nodes(ids: ["${agentId}", "${channelId}"]) { id } }`;
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
    expect(JSON.parse(resolvers.body)).toEqual({ data: { node: null, nodes: [{ id: agentId }, null] } });
    expect(compiled).toEqual({ ...resolvers, served: true });
  });
});
