import { parseArgs } from 'node:util';
import { readConfig } from '../config/config.ts';
import type { Context } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';
import { createWorkspace } from '../domain/workspace/accounts.ts';
import { createApp } from '../domain/workspace/apps.ts';
import { createSubscription } from '../domain/workspace/subscriptions.ts';
import { createLog } from '../http/log/request-log.ts';
import { createServices } from '../services.ts';
import { printUsage, run } from './shared/run.ts';
import { withStores } from './shared/stores.ts';

const usage = `Creates a workspace with an owner and a trial subscription, and prints the id of the workspace.

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
  const { name, 'owner-email': email, 'owner-name': ownerName } = values;
  if (values.help || !name || !email || !ownerName) return printUsage(usage, values.help);
  const config = readConfig(process.env);
  await withStores(config, async ({ handle, secrets }) => {
    const services = createServices({ config, handle, secrets, log: createLog('error') });
    const { workspace, owner } = await createWorkspace(services, { name, owner: { email, name: ownerName } });
    const { id: membershipId, userId, workspaceId } = owner;
    const viewer: Viewer = { workspaceId, role: 'owner', credential: 'operator', userId, membershipId, appId: null };
    const context: Context = { ...services, viewer };
    // Without an active subscription no agent would reply.
    const app = await createApp(context, { id: 'portal', name });
    await createSubscription(context, { appId: app.id, priceId: 'trial', status: 'trial' });
    process.stdout.write(`${workspace.id}\n`);
  });
});
