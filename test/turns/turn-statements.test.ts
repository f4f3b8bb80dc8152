import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeInOneStatement } from '../../src/database/query/joint-writes.ts';
import { startJobs } from '../../src/jobs/start.ts';
import { statementsOf } from '../support/database/database.ts';
import { scansOf } from '../support/database/plans.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { faq } from '../support/knowledge/knowledge.ts';
import { startOpenAiServer } from '../support/model/openai-server.ts';
import { useApiServer } from '../support/plugins/api-server.ts';

/**
 * How many statements a turn may send, BEGIN and COMMIT included, in a new conversation and in an existing one. To be
 * lowered by whoever saves one, never raised.
 */
const limits = {
  plain: { opening: 3, next: 4 },
  'plain, streamed': { opening: 3, next: 4 },
  'plain, with an idempotency key': { opening: 4, next: 5 },
  'with a base': { opening: 6, next: 7 },
  'with an unanswered question': { opening: 3, next: 4 },
  'with a plugin': { opening: 3, next: 4 },
  'with lead capture': { opening: 6, next: 7 },
  'with a base, a plugin and lead capture': { opening: 7, next: 8 },
};
type Kind = keyof typeof limits;

const key = 'sk-statements';
const api = useApiServer();
let model: Awaited<ReturnType<typeof startOpenAiServer>>;
let gateway: Gateway;
let home: TestWorkspace;
let baseId: string;
let pluginId: string;
/** What turns still do after their answers. */
const later: Promise<unknown>[] = [];
beforeAll(async () => {
  model = await startOpenAiServer(key);
  gateway = await openGateway({ MODEL_BASE_URL: model.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: key });
  home = await makeWorkspace(gateway);
  const { turns } = gateway.services;
  const { waitUntil } = turns;
  turns.waitUntil = (work) => {
    later.push(work);
    waitUntil(work);
  };
  // They end again: what jobs send is not a turn's.
  const jobs = startJobs(gateway.services);
  await jobs.started;
  const importing = 'mutation($url: String!) { importPlugin(input: {url: $url}) { plugin { id } } }';
  const imported = await gateway.data(home.editor, importing, { url: api.url('/openapi.json') });
  pluginId = imported.importPlugin.plugin.id;
  const creating = 'mutation ($input: CreateBaseInput!) { createBase(input: $input) { base { id } } }';
  const input = { description: 'Camp', sources: [faq('When is the pool open?', 'The pool is open from May.')] };
  baseId = (await gateway.data(home.editor, creating, { input })).createBase.base.id;
  await gateway.services.queue.idle();
  await jobs.close();
});
afterAll(async () => {
  await gateway.close();
  await model.close();
});

/** An agent with what the words of the kind say. */
async function agentFor(kind: Kind): Promise<string> {
  const { id } = await makeAgent(gateway, home.editor, {
    behaviorType: 'advanced',
    purpose: kind.includes('lead capture') ? 'leads' : 'support',
  });
  const attach = (name: string, given: string) =>
    gateway.data(home.editor, `mutation { ${name}(input: { agentId: "${id}", ${given} }) { agent { id } } }`);
  if (kind.includes('base')) await attach('attachBase', `baseId: "${baseId}"`);
  if (kind.includes('plugin')) await attach('attachPlugin', `pluginId: "${pluginId}"`);
  return id;
}

let keys = 0;
/**
 * Sends a message, waits for all that its turn does, and returns the conversation and how many statements were sent.
 */
async function turn(kind: Kind, agentId: string, id?: string) {
  model.next({ content: kind.includes('base') ? 'From May [1].' : 'Hello!' });
  const body = {
    ...(id && { id }),
    message: { content: kind.includes('question') || kind.includes('base') ? 'When is the pool open?' : 'Hello' },
  };
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${await gateway.bearer(home.app)}`,
    ...(kind.includes('streamed') && { accept: 'text/event-stream' }),
    ...(kind.includes('key') && { 'idempotency-key': `key-${++keys}` }),
  };
  const { result, statements } = await statementsOf(async () => {
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await gateway.app.request(`/api/${agentId}`, request);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    for (let work = later.shift(); work; work = later.shift()) await work;
    return text;
  });
  const conversationId = /"conversationId":"(\w+)"/.exec(result)?.[1];
  if (!conversationId) throw new Error(`The turn has no conversation: ${result}`);
  return { conversationId, statements: withoutTimed(statements) };
}

/** Leaves out what depends on how long a turn takes: checks for stops, and all but one write of the stream. */
function withoutTimed(statements: string[]): string[] {
  const isBatch = (text: string) => text.includes('INSERT INTO "TurnBatch"');
  const last = statements.findLastIndex(isBatch);
  return statements.filter((text, index) => !text.includes('"stopAsked" FROM') && (!isBatch(text) || index === last));
}

test.each(Object.entries(limits) as [Kind, { opening: number; next: number }][])(
  'a turn %s sends no more statements than before',
  async (kind, limit) => {
    const agentId = await agentFor(kind);
    const opening: string[][] = [];
    const next: string[][] = [];
    // What is sent once, by a process or an agent's first turn, does not count, nor what a job sends meanwhile.
    for (let time = 0; time < 4; time++) {
      const first = await turn(kind, agentId);
      opening.push(first.statements);
      next.push((await turn(kind, agentId, first.conversationId)).statements);
    }
    for (const [given, most] of [
      [opening, limit.opening],
      [next, limit.next],
    ] as const) {
      const least = given.toSorted((a, b) => a.length - b.length)[0] ?? [];
      expect.soft(least.length, `at most ${most}:\n${least.join('\n')}`).toBeLessThanOrEqual(most);
    }
  },
);

test('a turn is changed without a look at the others of its workspace', async () => {
  const workspaceId = home.id;
  const agentId = await agentFor('plain');
  for (let time = 0; time < 3; time++) await turn('plain', agentId);
  const { handle } = gateway;
  const { id } = await handle.client.turn.findFirstOrThrow({ where: { workspaceId, agentId } });
  const where = { workspaceId, id };
  const { recorded } = await statementsOf(() =>
    writeInOneStatement(handle.pool, [{ model: 'Turn', where, update: { stopAsked: false } }]),
  );
  // A small table would be read whole.
  const disabled = ['enable_seqscan', 'enable_bitmapscan'];
  for (const statement of recorded) {
    const scans = await scansOf(handle, statement, undefined, { disabled });
    const read = scans.filter(({ table, how }) => table === 'Turn' && how.includes('Scan'));
    expect(read.map(({ rows }) => rows)).toEqual([1, 1]);
  }
});
