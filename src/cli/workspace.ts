import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { createWorkspace } from '../domain/accounts.ts';
import { run } from './run.ts';
import { withDatabase } from './stores.ts';

const usage = `Makes a workspace and its owner, and prints the id of the workspace.

  npm run --silent workspace -- --name <name> --owner-email <email> --owner-name <name>

On the embedded database, stop the gateway first.`;

await run(async () => {
  const { values } = parseArgs({
    options: {
      name: { type: 'string' },
      'owner-email': { type: 'string' },
      'owner-name': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { name, 'owner-email': email, 'owner-name': owner } = values;
  if (values.help || !name || !email || !owner) {
    console.error(usage);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  await withDatabase(readConfig(process.env), async ({ client }) => {
    const { workspace } = await createWorkspace({ database: client }, { name, owner: { email, name: owner } });
    console.log(workspace.id);
  });
});
