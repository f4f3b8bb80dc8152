/**
 * The baseline: node:http and node-postgres, and nothing else. It verifies no bearer, writes no log and validates
 * nothing. Without DATABASE_URL it uses the embedded database in DATA_DIR.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { Pool as UndiciPool } from 'undici';
import { newId } from '../../src/database/ids.ts';
import { statements } from './raw-sql.ts';

type Turn = { agentId: string; channelId: string; conversationId?: string; content: string };
type Body = {
  workspaceId: string;
  agentId: string;
  conversationId: string;
  leadId: string;
  company: string;
  after: { createdAt: string; id: string };
  from: string;
  to: string;
};
type NewLead = { name: string; email: string; phone: string; utm: object };
type Statement = { name: string; text: string; values: unknown[] };

const { PORT, DATABASE_URL, DATA_DIR = '', MODEL_BASE_URL } = process.env;
const model = MODEL_BASE_URL ? new UndiciPool(new URL(MODEL_BASE_URL).origin, { connections: 64 }) : null;
const pool = await openPool();

async function openPool(): Promise<Pick<pg.Pool, 'query'>> {
  if (DATABASE_URL) return new pg.Pool({ connectionString: DATABASE_URL, max: 4, options: '-c TimeZone=UTC' });
  const { openEmbedded } = await import('../../src/database/pglite/embedded.ts');
  return (await openEmbedded({ dataDir: DATA_DIR })).pool;
}

const statement = (name: keyof typeof statements, ...values: unknown[]): Statement => ({
  name,
  text: statements[name],
  values,
});

function insert(name: 'create' | 'createRest', workspaceId: string, lead: NewLead): Statement {
  const found = `${lead.name} ${lead.email} ${lead.phone}`.toLowerCase();
  return statement(name, newId('lead'), workspaceId, lead.name, lead.email, lead.phone, lead.utm, found);
}

function read(path: string, body: Body): Statement | null {
  switch (path) {
    case '/nested':
      return statement('nested', body.workspaceId);
    case '/list':
      return statement('list', body.workspaceId, body.agentId, body.after.createdAt, body.after.id);
    case '/list-with-total':
      return statement('listWithTotal', body.workspaceId, body.agentId, body.after.createdAt, body.after.id);
    case '/point':
      return statement('point', body.workspaceId, body.conversationId);
    case '/groups-by-day':
      return statement('groupsByDay', body.workspaceId, body.from, body.to);
    case '/groups-top':
      return statement('groupsTop', body.workspaceId);
    case '/groups-nested':
      return statement('groupsNested', body.workspaceId);
    case '/groups-ratio':
      return statement('groupsRatio', body.workspaceId);
    case '/groups-running':
      return statement('groupsRunning', body.workspaceId, body.from, body.to);
    case '/groups-histogram':
      return statement('groupsHistogram', body.workspaceId);
    case '/groups-funnel':
      return statement('groupsFunnel', body.workspaceId);
    default:
      return null;
  }
}

function page(url: URL, workspaceId: string): Statement | null {
  const number = Number(url.searchParams.get('page'));
  if (url.pathname === '/rest/agents') return statement('agentsPage', workspaceId, number);
  const agentId = /^\/rest\/conversations\/list\/(\w+)$/.exec(url.pathname)?.[1];
  return agentId ? statement('conversationsPage', workspaceId, agentId, number) : null;
}

/** Stores the question, asks the model, and stores the answer. */
async function turn(workspaceId: string, { agentId, channelId, conversationId, content }: Turn): Promise<Statement> {
  const id = conversationId ?? newId('conversation');
  const month = new Date().toISOString().slice(0, 7);
  const values = [workspaceId, agentId, month, channelId, id, newId('message'), content];
  const { rows } = await pool.query<{ body: string }>(statement(conversationId ? 'turnNext' : 'turnNew', ...values));
  const { instructions, history } = JSON.parse(rows[0]?.body ?? '') as { instructions: string; history: object[] };
  const messages = [{ role: 'system', content: instructions }, ...history, { role: 'user', content }];
  const { text, usage } = await complete(messages);
  return statement('turnEnd', workspaceId, id, newId('message'), text, usage.prompt_tokens, usage.completion_tokens);
}

type Usage = { prompt_tokens: number; completion_tokens: number };
type Chunk = { choices: { delta: { content?: string } }[]; usage?: Usage };

async function complete(messages: object[]): Promise<{ text: string; usage: Usage }> {
  if (!model) throw new Error('MODEL_BASE_URL names no model.');
  const request = { model: 'bench', stream: true, stream_options: { include_usage: true }, messages };
  const { body } = await model.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  body.setEncoding('utf8');
  let text = '';
  let rest = '';
  let usage: Usage = { prompt_tokens: 0, completion_tokens: 0 };
  for await (const piece of body) {
    const events = (rest + String(piece)).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      if (event === 'data: [DONE]') continue;
      const chunk = JSON.parse(event.slice('data: '.length)) as Chunk;
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
  }
  return { text, usage };
}

async function statementOf(request: IncomingMessage): Promise<Statement | null> {
  const workspaceId = String(request.headers['x-workspace']);
  const { method, url = '/' } = request;
  if (method === 'GET') return page(new URL(url, 'http://localhost'), workspaceId);
  const body = JSON.parse(await textOf(request)) as Body & NewLead & Turn;
  if (url === '/turn') return turn(workspaceId, body);
  if (url === '/create') return insert('create', workspaceId, body);
  if (url === '/rest/leads') return insert('createRest', workspaceId, body);
  if (url === '/update') return statement('update', workspaceId, body.leadId, body.company);
  return read(url, { ...body, workspaceId });
}

/** Faster than iterating over the request. */
function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => resolve(text));
    request.on('error', reject);
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/ready') return void response.end('{}');
  const statement = await statementOf(request);
  const { rows } = statement ? await pool.query<{ body: string }>(statement) : { rows: [] };
  const body = Buffer.from(rows[0]?.body ?? '{"code":"not_found"}');
  response.writeHead(rows[0] ? 200 : 404, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    response.writeHead(500).end(String(error));
  });
}).listen(Number(PORT), '127.0.0.1');
