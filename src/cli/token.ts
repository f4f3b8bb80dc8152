import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { askForToken } from '../auth/control-client.ts';
import { issueToken, type TokenRequest } from '../auth/issue.ts';
import { type Config, readConfig } from '../config.ts';
import { FolderInUseError } from '../database/lock.ts';
import { run } from './run.ts';
import { withStores } from './stores.ts';

/** How long a gateway that has the folder may take until it answers, in milliseconds: it may be starting. */
const PATIENCE_MS = 15_000;

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
  console.log(config.databaseUrl ? await openAndIssue(config, request) : await askOrIssue(config, request));
});

/** The embedded database belongs to one process: the gateway while it runs, which then is asked. */
async function askOrIssue(config: Config, request: TokenRequest): Promise<string> {
  for (const patience = Date.now() + PATIENCE_MS; ; await sleep(200)) {
    const token = await askForToken(config.dataDir, request);
    if (token) return token;
    try {
      return await openAndIssue(config, request);
    } catch (error) {
      if (!(error instanceof FolderInUseError) || Date.now() > patience) throw error;
    }
  }
}

function openAndIssue(config: Config, request: TokenRequest): Promise<string> {
  return withStores(config, ({ handle, tokens }) => issueToken({ database: handle.client, tokens }, request));
}
