import { createApp } from '../../src/app.ts';
import { parseKeys } from '../../src/auth/encryption/encryption-keys.ts';
import { createSecrets } from '../../src/auth/encryption/secrets.ts';
import { readConfig } from '../../src/config/config.ts';
import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { createLog } from '../../src/http/log/request-log.ts';
import { createServices } from '../../src/services.ts';
import { gatewayEnv } from '../contest.ts';
import type { Subject } from './operations.ts';

export type RecordedStatement = { text: string; values: unknown[] };
/** The gateway in this process, with or without compiled queries, as the owner of one workspace sees it. */
export type Gateway = {
  subject: Subject;
  handle: DatabaseHandle;
  /** Returns the response body for a document, with its variables, or for a path. Throws on an error. */
  ask(text: string, variables?: Record<string, unknown>): Promise<string>;
  /** Like `ask`, but returns the statements that were executed. */
  watch(text: string): Promise<RecordedStatement[]>;
};

/** A PostgreSQL database by its URL, or an embedded one by its folder. */
export type Location = string | { dataDir: string };

export const openAt = (location: Location): Promise<DatabaseHandle> =>
  openDatabase(
    typeof location === 'string' ? { databaseUrl: location, dataDir: '' } : { databaseUrl: null, ...location },
  );

/** Opens the gateway on a database, as the owner of the workspace with this number. */
export async function openGateway(location: Location, workspace: number, compiledQueries: boolean): Promise<Gateway> {
  const handle = await openAt(location);
  const database = typeof location === 'string' ? { DATABASE_URL: location } : { DATA_DIR: location.dataDir };
  const config = readConfig({ LOG_LEVEL: 'silent', ...database, COMPILED_QUERIES: compiledQueries ? 'on' : 'off' });
  const log = createLog(config.logLevel);
  const services = createServices({
    config,
    handle,
    log,
    secrets: createSecrets(parseKeys([gatewayEnv.ENCRYPTION_KEYS], 'the bench')),
  });
  const app = createApp(services, async () => null);
  const subject = await readSubject(handle, workspace);
  const { workspaceId } = subject;
  const [userId, membershipId] = ['usr', 'mem'].map((kind) => workspaceId.replace('wsp', kind)) as [string, string];
  const bearer = await services.tokens.sign({
    workspaceId,
    userId,
    membershipId,
    role: 'owner',
    credential: 'operator',
  });
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };

  const ask = async (text: string, variables?: Record<string, unknown>) => {
    const response = text.startsWith('/')
      ? await app.request(text, { headers })
      : await app.request('/graphql', { method: 'POST', headers, body: JSON.stringify({ query: text, variables }) });
    const body = await response.text();
    if (response.status !== 200 || body.startsWith('{"errors"')) throw new Error(`${text}\n${body}`);
    return body;
  };
  return { subject, handle, ask, watch: (text) => statementsOf(handle, () => ask(text)) };
}

/** Picks rows from the middle of a workspace. */
async function readSubject({ pool }: DatabaseHandle, workspace: number): Promise<Subject> {
  const workspaceId = `wsp_${workspace.toString(16).padStart(26, '0')}`;
  const text = `SELECT id AS "conversationId", "agentId", "leadId",
      (SELECT m.id FROM "Message" m WHERE m."workspaceId" = c."workspaceId" AND m."conversationId" = c.id LIMIT 1) AS "messageId"
    FROM "Conversation" c WHERE "workspaceId" = $1 AND "leadId" IS NOT NULL ORDER BY "createdAt" OFFSET $2 LIMIT 1`;
  const count = 'SELECT count(*)::int AS rows FROM "Conversation" WHERE "workspaceId" = $1 AND "leadId" IS NOT NULL';
  const { rows: counted } = await pool.query<{ rows: number }>(count, [workspaceId]);
  const { rows } = await pool.query<Subject>(text, [workspaceId, Math.floor((counted[0]?.rows ?? 0) / 2)]);
  if (!rows[0]) throw new Error(`There is no workspace ${workspaceId}.`);
  return { ...rows[0], workspaceId };
}

async function statementsOf({ pool }: DatabaseHandle, work: () => Promise<unknown>): Promise<RecordedStatement[]> {
  const client = await pool.connect();
  client.release();
  const prototype = Object.getPrototypeOf(client) as { query(...args: unknown[]): unknown };
  const { query } = prototype;
  const asked: RecordedStatement[] = [];
  prototype.query = function (...args: unknown[]) {
    const [first, second] = args as [string | Partial<RecordedStatement>, unknown];
    const { text = '', values } = typeof first === 'string' ? { text: first, values: second } : first;
    asked.push({ text, values: Array.isArray(values) ? values : [] });
    return query.apply(this, args);
  };
  try {
    await work();
    return asked;
  } finally {
    prototype.query = query;
  }
}
