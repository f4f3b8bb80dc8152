import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { readConfig } from '../config/config.ts';
import { whyBroken } from '../graphql/saved/known.ts';
import { type CallersOf, callersInLog } from './shared/callers-in-log.ts';
import { type Ask, graphqlAt } from './shared/graphql-client.ts';
import { printUsage, run } from './shared/run.ts';
import { withDatabase } from './shared/stores.ts';

const usage = `Names the saved operations that another schema would not accept, each with the reason, such as that of the version to
upgrade to. Ends with 1 if there are any.

  npm run --silent schema:check -- --against <schema file> [--log <request log>] [--url <address of the gateway>]

With TOKEN, a key with the scope operations.read or a token, it asks the gateway for the operations of that workspace: --url is
GATEWAY by default, or http://127.0.0.1:4000. Otherwise it reads those of all workspaces from the database. With --log, the gateway's standard
output as a file, it also names who ran each of them.`;

/** How many rows are read at once. */
const batch = 500;
const listed = `query ($after: String) {
  viewer { workspace { id } }
  operations(first: 100, after: $after) { nodes { name document } pageInfo { endCursor hasNextPage } }
}`;

type Saved = { workspaceId: string; name: string; document: string };

await run(async () => {
  const { values } = parseArgs({
    options: {
      against: { type: 'string' },
      log: { type: 'string' },
      url: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { against, log, url, help } = values;
  if (help || !against) return printUsage(usage, help);
  const schema = readSchema(against);
  const callersOf = log === undefined ? null : await readLog(log);
  let count = 0;
  let broken = 0;
  const { GATEWAY, TOKEN } = process.env;
  const check = ({ workspaceId, name, document }: Saved) => {
    count += 1;
    const reason = whyBroken(schema, document);
    if (reason === null) return;
    broken += 1;
    console.log(`${TOKEN ? '' : `${workspaceId} `}${name}: ${reason}`);
    if (callersOf) console.log(`  ${callersOf(workspaceId, name) ?? 'not run in the log'}`);
  };
  await (TOKEN ? eachOfGateway(graphqlAt(url ?? GATEWAY, TOKEN), check) : eachOfDatabase(check));
  console.error(`${broken} of ${count} saved operations would be broken.`);
  if (broken > 0) process.exitCode = 1;
});

function readSchema(file: string): GraphQLSchema {
  try {
    return buildSchema(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`--against: ${file} is no GraphQL schema: ${(error as Error).message}`, { cause: error });
  }
}

async function readLog(file: string): Promise<CallersOf> {
  try {
    return await callersInLog(file);
  } catch (error) {
    throw new Error(`--log: ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

type Page = {
  viewer: { workspace: { id: string } | null };
  operations: { nodes: Omit<Saved, 'workspaceId'>[]; pageInfo: { endCursor: string | null; hasNextPage: boolean } };
};

async function eachOfGateway(ask: Ask, check: (saved: Saved) => void): Promise<void> {
  for (let after: string | null = null, more = true; more; ) {
    const { viewer, operations }: Page = await ask<Page>(listed, { after });
    for (const node of operations.nodes) check({ workspaceId: viewer.workspace?.id ?? '', ...node });
    after = operations.pageInfo.endCursor;
    more = operations.pageInfo.hasNextPage;
  }
}

async function eachOfDatabase(check: (saved: Saved) => void): Promise<void> {
  await withDatabase(readConfig(process.env), async ({ client }) => {
    for (let after: { workspaceId: string; id: string } | null = null, more = true; more; ) {
      const rows: (Saved & { workspaceId: string; id: string })[] = await client.savedOperation.findMany({
        select: { workspaceId: true, id: true, name: true, document: true },
        orderBy: [{ workspaceId: 'asc' }, { id: 'asc' }],
        take: batch,
        ...(after && { cursor: { workspaceId_id: after }, skip: 1 }),
      });
      rows.forEach(check);
      const last = rows.at(-1);
      after = last ? { workspaceId: last.workspaceId, id: last.id } : null;
      more = rows.length === batch;
    }
  });
}
