import { parseArgs } from 'node:util';
import { requestToken } from '../auth/admin/admin-client.ts';
import { issueToken, type TokenRequest } from '../auth/issue.ts';
import { type Config, readConfig } from '../config/config.ts';
import { withGatewayOrDatabase } from './shared/gateway-or-database.ts';
import { run } from './shared/run.ts';
import { withStores } from './shared/stores.ts';

const usage = `Prints a bearer token and nothing else.

  npm run --silent token -- [--workspace <id>] [--user <id or email>] [--role <role>] [--ttl <seconds>]

Without flags: for the owner of the demo workspace, for one hour. With --user the token is the person's own: it may also
change their profile, accept the terms, and accept an invitation.`;

await run(async () => {
  const { values } = parseArgs({
    options: {
      workspace: { type: 'string' },
      user: { type: 'string' },
      role: { type: 'string' },
      ttl: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return console.error(usage);
  const request = {
    workspaceId: values.workspace,
    userId: values.user,
    role: values.role as TokenRequest['role'],
    ttl: values.ttl === undefined ? undefined : Number(values.ttl),
  };
  const config = readConfig(process.env);
  const viaGateway = () => requestToken(config.dataDir, request);
  console.log(
    await withGatewayOrDatabase(config, { viaGateway, viaDatabase: () => issueFromDatabase(config, request) }),
  );
});

function issueFromDatabase(config: Config, request: TokenRequest): Promise<string> {
  return withStores(config, ({ handle, tokens }) => issueToken({ database: handle.client, tokens }, request));
}
