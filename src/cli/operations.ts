import { parseArgs } from 'node:util';
import { type Ask, graphqlAt } from './shared/graphql-client.ts';
import { type OperationFile, readOperations } from './shared/operation-files.ts';
import { printUsage, run } from './shared/run.ts';

const usage = `Saves the GraphQL documents of a folder as operations of a workspace, one file each, and prints what became of them. A
file's name is the operation's (LeadsPerWeek.graphql: leads-per-week), its first comment the description. Others stay as they are.

  npm run --silent operations -- push <folder> [--url <address of the gateway>]

TOKEN is the bearer: a key with the scopes operations.read and operations.write, or a token. --url is GATEWAY by default, or
http://127.0.0.1:4000.`;

await run(async () => {
  const { values, positionals } = parseArgs({
    options: { url: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  const [command, folder, ...more] = positionals;
  if (values.help || command !== 'push' || !folder || more.length > 0) return printUsage(usage, values.help);
  const { GATEWAY, TOKEN } = process.env;
  if (!TOKEN) throw new Error('TOKEN: is required, a key with the scopes operations.read and operations.write');
  const ask = graphqlAt(values.url ?? GATEWAY, TOKEN);
  // A file that is refused keeps no other from being saved.
  for (const file of readOperations(folder)) {
    try {
      console.log(`${await push(ask, file)} ${file.name}`);
    } catch (error) {
      console.error(`error: ${file.file}: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
    }
  }
});

type Listed = { operations: { nodes: { id: string; document: string; description: string }[] } };

async function push(ask: Ask, { name, document, description }: OperationFile): Promise<string> {
  const { operations } = await ask<Listed>(
    'query ($name: String!) { operations(first: 1, filter: {names: [$name]}) { nodes { id document description } } }',
    { name },
  );
  const [saved] = operations.nodes;
  if (!saved) {
    const create = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
    await ask(create, { input: { name, document, description } });
    return 'created';
  }
  if (saved.document === document && saved.description === description) return 'unchanged';
  const update = 'mutation ($input: UpdateOperationInput!) { updateOperation(input: $input) { operation { id } } }';
  await ask(update, { input: { id: saved.id, document, description } });
  return 'updated';
}
