import { parseArgs } from 'node:util';
import { requestQuota } from '../auth/admin/admin-client.ts';
import { setQuota } from '../auth/quota.ts';
import { readConfig } from '../config/config.ts';
import { withGatewayOrDatabase } from './shared/gateway-or-database.ts';
import { printUsage, run } from './shared/run.ts';
import { withDatabase } from './shared/stores.ts';

const usage = `Sets how many interactions a workspace may use per month, or removes the budgets per minute that its owner has set, and
prints the number of interactions. The gateway may be running.

  npm run --silent quota -- --workspace <id> --max <number, or plan: as many as its subscription pays for>
  npm run --silent quota -- --workspace <id> --reset-budgets`;

await run(async () => {
  const { values } = parseArgs({
    options: {
      workspace: { type: 'string' },
      max: { type: 'string' },
      'reset-budgets': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { workspace: workspaceId, max, 'reset-budgets': resetBudgets, help } = values;
  if (help || !workspaceId || !(max || resetBudgets)) return printUsage(usage, help);
  if (max && max !== 'plan' && !/^\d{1,10}$/.test(max)) throw new Error('max: must be a whole number, or plan');
  const request = {
    workspaceId,
    ...(max && { max: max === 'plan' ? null : Number(max) }),
    ...(resetBudgets && { resetBudgets }),
  };
  const config = readConfig(process.env);
  const answer = await withGatewayOrDatabase(config, {
    viaGateway: () => requestQuota(config.dataDir, request),
    viaDatabase: () =>
      withDatabase(config, async ({ client }) => ({ max: await setQuota({ database: client }, request) })),
  });
  console.log(answer.max ?? 'plan');
});
