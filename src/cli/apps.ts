import { unrestrictedApps } from '../auth/unrestricted-apps.ts';
import { readConfig } from '../config/config.ts';
import { run } from './shared/run.ts';
import { withDatabase } from './shared/stores.ts';

const usage = `Lists the apps that can get tokens for any role a member has, because they were created before an app's roles limited its
tokens. One app per line: workspace, id, name. docs/migrating.md says how to restrict them.

  npm run --silent apps

On the embedded database, stop the gateway first.`;

await run(async () => {
  if (process.argv.length > 2) return console.error(usage);
  const apps = await withDatabase(readConfig(process.env), unrestrictedApps);
  for (const { workspaceId, id, name } of apps) process.stdout.write(`${workspaceId}\t${id}\t${name}\n`);
  if (apps.length === 0) console.error('The roles of every app are set.');
});
