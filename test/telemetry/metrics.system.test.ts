import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { telemetry } from '../../src/core/telemetry.ts';
import { countEvents } from '../../src/telemetry/event-metrics.ts';
import { type Observed, readState } from '../../src/telemetry/state-metrics.ts';
import { fillWithDemo } from '../support/gateway/demo-folder.ts';
import { freePort } from '../support/gateway/free-port.ts';
import { type GatewayProcess, ownerToken, startGateway } from '../support/gateway/gateway-process.ts';
import { textOf } from '../support/repository/documents.ts';

const secretText = 'canary-7f3a: where is my order?';

let gateway: GatewayProcess;
let dataDir: string;
let metricsUrl: string;
let headers: Record<string, string>;

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'metrics-'));
  await fillWithDemo(dataDir);
  const port = await freePort();
  const env = { ...process.env, PORT: '0', DATA_DIR: dataDir, DATABASE_URL: '', METRICS_PORT: String(port) };
  gateway = await startGateway({ ...env, LOG_LEVEL: 'silent' });
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  headers = { authorization: `Bearer ${await ownerToken(env)}`, 'content-type': 'application/json' };
}, 600_000);
afterAll(async () => {
  await gateway?.kill();
  rmSync(dataDir, { recursive: true });
});

const scrape = async () => (await fetch(metricsUrl)).text();

async function ask(query: string, variables = {}) {
  const body = JSON.stringify({ query, variables });
  return (await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body })).json();
}

/** The value of a metric with the given labels; null if it has no such line. */
function valueOf(text: string, name: string, labels: Record<string, string> = {}): number | null {
  const line = text
    .split('\n')
    .find(
      (line) =>
        new RegExp(`^${name}[{ ]`).test(line) &&
        Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`)),
    );
  return line === undefined ? null : Number(line.split(' ').at(-1));
}

test('requests, errors, turns, model calls and jobs are counted', async () => {
  await ask('query FirstAgents { agents(first: 2) { nodes { id } } }');
  await ask('query Wrong { agents(first: 1000) { nodes { id } } }');
  await fetch(`${gateway.url}/rest/agents`, { headers });
  const { data } = await ask('query { agents(first: 1) { nodes { id } } }');
  const turn = await ask('mutation Say($input: SendMessageInput!) { sendMessage(input: $input) { messages { id } } }', {
    input: { agentId: data.agents.nodes[0].id, message: { content: secretText } },
  });
  expect(turn.errors).toBeUndefined();
  const text = await scrape();
  expect(valueOf(text, 'parley_requests_total', { surface: 'graphql', operation: 'FirstAgents', status: '200' })).toBe(
    1,
  );
  expect(valueOf(text, 'parley_requests_total', { surface: 'rest', status: '200' })).toBe(1);
  expect(valueOf(text, 'parley_errors_total', { surface: 'graphql', code: 'invalid_request' })).toBe(1);
  expect(valueOf(text, 'parley_turns_total', { state: 'answered' })).toBe(1);
  expect(valueOf(text, 'parley_model_calls_total', { outcome: 'answered' })).toBe(1);
  expect(valueOf(text, 'parley_turn_duration_seconds_count', { state: 'answered' })).toBe(1);
});

test('the state of the process is read at each scrape', async () => {
  const text = await scrape();
  expect(valueOf(text, 'parley_turns_running')).toBe(0);
  expect(valueOf(text, 'parley_load_ratio')).toBeGreaterThanOrEqual(0);
  expect(valueOf(text, 'parley_database_connections', { state: 'idle' })).toBeGreaterThanOrEqual(0);
  expect(valueOf(text, 'parley_cache_bytes', { cache: 'compiled_operations' })).toBeGreaterThan(0);
  expect(valueOf(text, 'parley_data_folder_bytes')).toBeGreaterThan(1_000_000);
  expect(valueOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
});

test('an open stream is counted until its reader leaves', async () => {
  const streams = async () => valueOf(await scrape(), 'parley_streams');
  const { data } = await ask('{ conversations(first: 1) { nodes { id } } }');
  const query = 'subscription($id: ID!) { newMessages(conversationId: $id) { id } }';
  const body = JSON.stringify({ query, variables: { id: data.conversations.nodes[0].id } });
  const reader = new AbortController();
  const stream = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body,
    signal: reader.signal,
  });
  expect(stream.status).toBe(200);
  expect(await streams()).toBe(1);
  reader.abort();
  await expect.poll(streams).toBe(0);
});

test('no workspace, person, text or secret is named', async () => {
  const text = await scrape();
  expect(text).not.toMatch(/canary|wsp_|usr_|agt_|eyJ|pky_/);
});

test('metrics are at their own port and path only', async () => {
  expect((await fetch(new URL('/', metricsUrl))).status).toBe(404);
  expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
});

/** The metrics about a standby; without an age, it cannot be used. */
async function metricsWithStandby(ageMs: number | null): Promise<string> {
  const registry = new Registry();
  const query = async () => ({ rows: [{ lock: 0, standby: 0 }] });
  const pool = { waiting: 0, idleCount: 0, totalCount: 0, query };
  const standby = { host: 'db2', ageMs, connections: { idle: 0, used: 0 } };
  const observed = {
    services: { load: {}, turns: {}, config: {} },
    handle: { kind: 'postgres', pool, standby },
    connections: { count: 0, streams: 0 },
    caches: () => ({}),
  };
  readState(registry, observed as unknown as Observed);
  const names = ['parley_standby_age_seconds', 'parley_standby_connections', 'parley_database_oldest_wait_seconds'];
  return (await Promise.all(names.map((name) => registry.getSingleMetricAsString(name)))).join('\n');
}

test('a standby that cannot be used has connections, but no age', async () => {
  expect(valueOf(await metricsWithStandby(1_500), 'parley_standby_age_seconds', { host: 'db2' })).toBe(1.5);
  const text = await metricsWithStandby(null);
  expect(valueOf(text, 'parley_standby_age_seconds')).toBe(null);
  expect(valueOf(text, 'parley_standby_connections', { state: 'used' })).toBe(0);
});

test('the dashboard and the alerts name only metrics that there are', async () => {
  const text = `${await scrape()}\n${await metricsWithStandby(0)}`;
  for (const file of ['grafana-dashboard.json', 'alerts.yml']) {
    const named = textOf(`examples/monitoring/${file}`).match(/\b(?:parley|nodejs|process)_[a-z_0-9]+/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(
      named.filter((name) => !new RegExp(`^(# TYPE )?${name.replace(/_bucket$/, '')}[ {_]`, 'm').test(text)),
    ).toEqual([]);
  }
});

const promtool = (args: string[], input?: string) => spawnSync('promtool', args, { input, encoding: 'utf8' });
const hasPromtool = promtool(['--version']).status === 0;
test.skipIf(!hasPromtool)('Prometheus takes the metrics, the rules and the configuration', async () => {
  for (const args of [
    ['check', 'config', 'examples/monitoring/prometheus.yml'],
    ['check', 'rules', 'examples/monitoring/alerts.yml'],
  ]) {
    const { status, stderr } = promtool(args);
    expect(status, stderr).toBe(0);
  }
  // prom-client's own metric names violate promtool's rules.
  const { stderr } = promtool(['check', 'metrics'], await scrape());
  expect(stderr.split('\n').filter((line) => line !== '' && !line.startsWith('nodejs_'))).toEqual([]);
});

test.skipIf(!hasPromtool)(
  'the alerts about a standby fire when it cannot be used, is behind or keeps writes waiting, and not otherwise',
  () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'alerts-'));
    const series = (name: string, labels: string, values: string) => ({ series: `${name}{${labels}}`, values });
    const connections = (instance: string) =>
      series('parley_standby_connections', `instance="${instance}",state="idle"`, '0x30');
    const age = (instance: string, values: string) =>
      series('parley_standby_age_seconds', `instance="${instance}",host="db2"`, values);
    const expected = (alertname: string, labels: Record<string, string>, summary: string) => ({
      eval_time: '15m',
      alertname,
      exp_alerts: [{ exp_labels: { severity: 'warning', ...labels }, exp_annotations: { summary } }],
    });
    const wait = (instance: string, event: string, values: string) =>
      series('parley_database_oldest_wait_seconds', `instance="${instance}",event="${event}"`, values);
    const alertname = 'WritesWaitForStandby';
    const waiting =
      'Writes wait 24s for a synchronous standby that is away or too slow. High availability in docs/operations-database.md says what to do.';
    const tests = {
      rule_files: [path.resolve('examples/monitoring/alerts.yml')],
      tests: [
        {
          interval: '1m',
          input_series: [
            ...['fresh', 'behind', 'unusable'].map(connections),
            age('fresh', '0.5x30'),
            age('behind', '90x30'),
          ],
          alert_rule_test: [
            expected(
              'StandbyUnusable',
              { instance: 'unusable' },
              'The standby of unusable cannot be used, and the primary serves its reads. The log says why.',
            ),
            expected(
              'StandbyBehind',
              { instance: 'behind', host: 'db2' },
              'The standby db2 of behind is 1m 30s behind.',
            ),
          ],
        },
        {
          interval: '15s',
          // Between two writes that wait, none does for a moment.
          input_series: [wait('a', 'standby', '0 0 12 24 0 12 24 0 12 24 0x30'), wait('b', 'lock', '1x30')],
          alert_rule_test: [
            { eval_time: '1m', alertname, exp_alerts: [] },
            {
              eval_time: '2m',
              alertname,
              exp_alerts: [{ exp_labels: { severity: 'critical' }, exp_annotations: { summary: waiting } }],
            },
            { eval_time: '5m', alertname, exp_alerts: [] },
            { eval_time: '5m', alertname: 'StatementsWaitForLock', exp_alerts: [] },
          ],
        },
      ],
    };
    const file = path.join(folder, 'alerts.test.yml');
    writeFileSync(file, JSON.stringify(tests));
    const { status, stdout, stderr } = promtool(['test', 'rules', file]);
    rmSync(folder, { recursive: true });
    expect(status, `${stdout}${stderr}`).toBe(0);
  },
);

test('names that callers choose have 200 labels at most', async () => {
  const registry = new Registry();
  const stop = countEvents(registry);
  const event = { method: 'POST', path: '/graphql', status: 200, compiled: false, errorCodes: [], seconds: 0 };
  for (let n = 0; n < 300; n++) telemetry.request.publish(() => ({ ...event, operation: `Op${n}` }));
  stop();
  telemetry.request.publish(() => ({ ...event, operation: 'After' }));
  const text = await registry.metrics();
  expect(text.match(/^parley_requests_total\{/gm)).toHaveLength(201);
  expect(valueOf(text, 'parley_requests_total', { operation: 'other' })).toBe(100);
  expect(text).not.toContain('After');
});
