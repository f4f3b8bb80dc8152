import { unrestrictedApps } from '../auth/unrestricted-apps.ts';
import { readConfig } from '../config/config.ts';
import { run } from './run.ts';
import { withDatabase } from './stores.ts';

const usage = `Names the apps that get tokens for any role of a member, because they are older than the rule that their roles limit
them: workspace, id and name, one a line. docs/migrating.md says how to end it.

  npm run --silent apps

On the embedded database, stop the gateway first.`;

await run(async () => {
  if (process.argv.length > 2) return console.error(usage);
  const apps = await withDatabase(readConfig(process.env), unrestrictedApps);
  for (const { workspaceId, id, name } of apps) process.stdout.write(`${workspaceId}\t${id}\t${name}\n`);
  if (apps.length === 0) console.error('No app is left whose roles are to be set.');
});
