import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const run = promisify(execFile);
const gateway = useGateway();
let folder: string;
let world: World;
/** The operations that the compiler made, by name. */
let operations: Map<string, string>;

beforeAll(async () => {
  world = await makeWorld(gateway);
  folder = await mkdtemp(join(tmpdir(), 'parley-relay-'));
  await cp('schema/schema.graphql', join(folder, 'schema.graphql'));
  await cp('test/support/graphql/relay', join(folder, 'src'), { recursive: true });
  for (const name of ['package.json', 'operations.json']) await writeFile(join(folder, name), '{}');
  await writeFile(
    join(folder, 'relay.config.json'),
    JSON.stringify({
      src: './src',
      schema: './schema.graphql',
      language: 'typescript',
      persistConfig: { file: './operations.json' },
    }),
  );
  await run(process.execPath, [resolve('node_modules/relay-compiler/cli.js')], { cwd: folder });
  const persisted = JSON.parse(await readFile(join(folder, 'operations.json'), 'utf8')) as Record<string, string>;
  operations = new Map(Object.values(persisted).map((text) => [/^\w+ (\w+)/.exec(text)?.[1] ?? '', text]));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the fragments of a Relay client compile against the printed schema', async () => {
  const made = await readdir(join(folder, 'src', '__generated__'));
  expect(made.sort()).toEqual(
    [
      'agentCardConversationsPaginationQuery',
      'agentCardNodesQuery',
      'agentCardRefetchQuery',
      'agentCard_agent',
      'agentCard_conversations',
      'agentsPageCreateMutation',
      'agentsPageDeleteMutation',
      'agentsPagePaginationQuery',
      'agentsPageQuery',
      'agentsPage_agents',
      'strictPageQuery',
    ].map((name) => `${name}.graphql.ts`),
  );
});

test('what is null only in an error is never null to a client that throws errors', async () => {
  const made = await readFile(join(folder, 'src', '__generated__', 'strictPageQuery.graphql.ts'), 'utf8');
  const [, type = ''] = /export type strictPageQuery\$data = ([^]*?);\nexport type/.exec(made) ?? [];
  const nullable = type.split('\n').filter((line) => line.includes('| null'));
  expect(type).toContain('readonly conversations: {');
  // The one that a conversation may be without, and the scalar in it.
  expect(nullable.map((line) => line.trim())).toEqual([
    expect.stringMatching(/^readonly name: /),
    expect.stringMatching(/^} \| null/),
  ]);
});

test('what the compiler makes of them runs', async () => {
  const { ids } = world;
  const first = await gateway.data(world.owner, operations.get('agentsPageQuery') ?? '', {});
  expect(first.agents.edges.length).toBe(2);
  const { endCursor } = first.agents.pageInfo;
  const page = await gateway.data(world.owner, operations.get('agentsPagePaginationQuery') ?? '', {
    first: 1,
    after: endCursor,
  });
  expect(page.agents.edges).toEqual([]);
  const refetched = await gateway.data(world.owner, operations.get('agentCardRefetchQuery') ?? '', { id: ids.agentId });
  expect(refetched.node).toMatchObject({ __typename: 'Agent', id: ids.agentId });
  expect(refetched.node.conversations.edges.length).toBe(2);
  const earlier = await gateway.data(world.owner, operations.get('agentCardConversationsPaginationQuery') ?? '', {
    id: ids.agentId,
    last: 1,
  });
  expect(earlier.node.conversations.pageInfo).toMatchObject({ hasPreviousPage: true, startCursor: expect.any(String) });
  const some = await gateway.data(world.owner, operations.get('agentCardNodesQuery') ?? '', {
    ids: [ids.leadId, ids.sourceId],
  });
  expect(some.nodes.map((node: { __typename: string }) => node.__typename)).toEqual(['Lead', 'Source']);
});
