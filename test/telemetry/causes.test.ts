import { globSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { parseAst } from 'rolldown/parseAst';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { run } from '../../src/cli/shared/run.ts';
import { ParleyError } from '../../src/core/errors.ts';
import { newId } from '../../src/database/ids.ts';
import { file } from '../support/attachments/attachments.ts';
import { fillDisk } from '../support/attachments/full-disk.ts';
import { startS3Server } from '../support/attachments/s3-server.ts';
import { openGateway, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { startSelfSignedServer } from '../support/net/self-signed-server.ts';
import { collectLog } from '../support/telemetry/log-lines.ts';

const { log, lines } = collectLog();
const gateway = useGateway();
let home: TestWorkspace;
let agentId: string;
let selfSigned: Awaited<ReturnType<typeof startSelfSignedServer>>;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  agentId = (await makeAgent(gateway, home.editor)).id;
  selfSigned = await startSelfSignedServer();
});
afterAll(() => selfSigned.close());
let seen = 0;
beforeEach(() => {
  seen = lines.length;
});
const logged = () =>
  lines
    .slice(seen)
    .filter(({ level }) => level === 'error' || level === 'warn')
    .map((line) => JSON.stringify(line));

/** Where another error than a `ParleyError` wraps a cause, and who logs that. */
const others: Record<string, string> = {
  'src/auth/oidc/issuer-fetch.ts Error': 'becomes the cause of a ParleyError',
  'src/backup/restore.ts Error': 'ends the command, whose output has it',
  'src/cli/shared/graphql-client.ts Error': 'ends the command, whose output has it',
  'src/cli/schema-check.ts Error': 'ends the command, whose output has it',
  'src/database/migrate.ts MigrationError': 'ends the start, and has the cause in its message',
  'src/domain/shared/idempotency/executions.ts OutcomeUnknown':
    'is unwrapped by src/compiled/idempotent-writes.ts, for failureOf',
  'src/domain/turns/lead.ts LeadFailure': 'is unwrapped and logged by src/domain/turns/end.ts',
  'src/model/providers/openai-stream.ts APICallError': 'is classified and logged by src/model/attempts/attempts.ts',
  'src/queue/store.ts QueueError': 'ends the start, and has the cause in its message',
  'src/storage/credentials.ts Error': 'becomes the cause of a ParleyError',
  ExtractFailure: 'is logged by src/domain/knowledge/ingestion.ts',
};

test('every place that wraps a cause has one that logs it', () => {
  const files = globSync('src/**/*.ts', { exclude: (name) => /\/(generated|browser|panels)(\/|$)/.test(name) });
  const places = files.flatMap((name) => wrapsIn(parseAst(readFileSync(name, 'utf8'), { lang: 'ts' }), name));
  const silent = places.filter(([name, type]) => {
    return type !== 'ParleyError' && !Object.hasOwn(others, `${name} ${type}`) && !Object.hasOwn(others, type);
  });
  expect(silent).toEqual([]);
  const known = new Set(places.flatMap(([name, type]) => [`${name} ${type}`, type]));
  expect(Object.keys(others).filter((place) => !known.has(place))).toEqual([]);
  expect(places.filter(([, type]) => type === 'ParleyError').length).toBeGreaterThan(5);
});

test('a command, which has no log, says every cause that its message does not, without secrets', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
  const failures: [Error, string][] = [
    [new Error('No gateway.', { cause: new TypeError('fetch failed', { cause: refused }) }), 'error: No gateway: fetch failed: ECONNREFUSED'],
    [new ParleyError('unavailable', 'No storage.', { cause: new Error('no space left') }), 'error: No storage: no space left'],
    [new Error('Damaged (end of file).', { cause: new Error('end of file') }), 'error: Damaged (end of file).'],
    [new Error('No database', { cause: new Error('postgres://ana:hunter2@db refused') }), 'error: No database: postgres://***@db refused'],
  ]; // biome-ignore format: a table
  for (const [error] of failures) await run(() => Promise.reject(error));
  process.exitCode = 0;
  const lines = told.mock.calls.flat();
  told.mockRestore();
  expect(lines).toEqual(failures.map(([, line]) => line));
});

/** The errors created with a cause, each by its file and type. */
function wrapsIn(node: unknown, name: string): [string, string][] {
  if (typeof node !== 'object' || node === null) return [];
  const {
    type,
    callee,
    arguments: given,
  } = node as { type?: string; callee?: { name?: string }; arguments?: unknown[] };
  const options = (given ?? []) as { type: string; properties?: { key?: { name?: string } }[] }[];
  const wraps =
    type === 'NewExpression' && options.some(({ properties }) => properties?.some(({ key }) => key?.name === 'cause'));
  const own: [string, string][] = wraps ? [[name, callee?.name ?? '']] : [];
  return [...own, ...Object.values(node).flatMap((inner) => wrapsIn(inner, name))];
}

describe('the cause of a failure is logged once, without its secrets,', () => {
  const secret = 'password=hunter2';
  const failing = async (code: 'unavailable' | 'unauthorized') => {
    const cause = new Error(`canary ${newId('agent')} ${secret}`, { cause: new Error(`below ${newId('agent')}`) });
    const error = new ParleyError(code, 'Told in general words.', { cause });
    const tokens = { ...gateway.services.tokens, verify: () => Promise.reject(error) };
    return openGateway({}, { ...gateway.services, tokens, log }, gateway.handle);
  };
  const doors: [string, string, string, unknown?][] = [
    ['REST', 'GET', '/rest/agents'],
    ['a REST write', 'POST', '/rest/leads', { name: 'A' }],
    ['the assistant', 'POST', '/api/agt_1', { message: { content: 'Hi' } }],
    ['GraphQL', 'POST', '/graphql', { query: '{ agents { totalCount } }' }],
    ['GraphQL by GET', 'GET', `/graphql?query=${encodeURIComponent('{ agents { totalCount } }')}`],
    ['a mutation', 'POST', '/graphql', { query: 'mutation { createLead(input: { name: "A" }) { lead { id } } }' }],
    ['a stream', 'GET', '/api/agt_1/cnv_1/stream'],
  ];
  test.each(doors)('by %s', async (_, method, path, body) => {
    const broken = await failing('unavailable');
    const answer = await broken.rest('prl_any', method, path, body);
    expect(answer.status).toBe(503);
    expect(JSON.stringify(answer.body)).not.toContain('canary');
    expect(logged().filter((line) => line.includes('canary'))).toEqual([expect.stringContaining('below')]);
    expect(logged().join()).not.toContain('hunter2');
  });

  test('also when it is a refusal', async () => {
    const broken = await failing('unauthorized');
    expect((await broken.rest('prl_any', 'GET', '/rest/agents')).status).toBe(401);
    expect(lines.slice(seen).filter(({ msg }) => msg === 'a request was refused')).toMatchObject([{ level: 'warn' }]);
  });

  test('when a resolver throws it', async () => {
    const error = () => new ParleyError('unavailable', 'Told.', { cause: new Error('canary of a resolver') });
    const run = () => Promise.reject(error());
    const guardedFetch = Object.assign(run, gateway.services.guardedFetch);
    const broken = await openGateway(
      {},
      { ...gateway.services, guardedFetch: guardedFetch as never, log },
      gateway.handle,
    );
    const document = 'mutation { importPlugin(input: { url: "https://example.com/openapi.json" }) { plugin { id } } }';
    const { errors } = await broken.graphql(await gateway.bearer(home.owner), document);
    expect(errors?.[0]?.extensions.code).toBe('unavailable');
    expect(logged().filter((line) => line.includes('canary'))).toHaveLength(1);
  });
});

describe('why the issuer cannot be used is logged:', () => {
  let server: Server;
  let issuer: string;
  let keys: JWK[];
  let sign: (claims: object) => Promise<string>;
  beforeAll(async () => {
    const pair = await generateKeyPair('RS256', { extractable: true });
    keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }];
    sign = (claims) =>
      new SignJWT({ iss: issuer, aud: 'parley-api', sub: '1', email: 'a@example.com', email_verified: true, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
        .setExpirationTime('5m')
        .sign(pair.privateKey);
    server = createServer((request, response) => {
      const documents: Record<string, object> = {
        '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
        '/keys': { keys },
        '/slash/.well-known/openid-configuration': { issuer: `${issuer}/slash/`, jwks_uri: `${issuer}/keys` },
      };
      const found = documents[request.url ?? ''];
      response.writeHead(found ? 200 : 404).end(JSON.stringify(found ?? 'a page'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  const cases: [string, () => { env?: object; claims?: object }, number, () => string][] = [
    ['its address ends with a slash', () => ({ env: { OIDC_ISSUER: `${issuer}/slash` }, claims: { iss: `${issuer}/slash` } }), 503, () => `names the issuer ${issuer}/slash/: set OIDC_ISSUER to exactly that`],
    ['its tokens name it with a slash', () => ({ claims: { iss: `${issuer}/` } }), 401, () => `its tokens name ${issuer}/`],
    ['its description is not found', () => ({ env: { OIDC_ISSUER: `${issuer}/none` }, claims: { iss: `${issuer}/none` } }), 503, () => `${issuer}/none/.well-known/openid-configuration answered 404`],
    ['its keys are not found', () => ({ env: { OIDC_JWKS_URL: `${issuer}/no-keys` } }), 503, () => `${issuer}/no-keys answered 404`],
    ['nobody has signed its certificate', () => ({ env: { OIDC_ISSUER: selfSigned.url }, claims: { iss: selfSigned.url } }), 503, () => 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['its tokens are for another audience', () => ({ claims: { aud: 'other-api' } }), 401, () => 'other-api'],
  ]; // biome-ignore format: a table
  test.each(cases)('%s', async (_, change, status, why) => {
    const { env = {}, claims = {} } = change();
    const settings = { OIDC_ISSUER: issuer, OIDC_AUDIENCE: 'parley-api', ...env };
    const trusting = await openGateway(settings, { log }, gateway.handle);
    const answer = await trusting.rest(await sign(claims), 'GET', '/rest/agents');
    expect(answer.status).toBe(status);
    expect(logged().filter((line) => JSON.stringify(line).includes(JSON.stringify(why()).slice(1, -1)))).toHaveLength(
      1,
    );
  });
});

describe('why files cannot be stored is logged:', () => {
  type Change = (env: Record<string, string>) => Record<string, string | undefined>;
  const cases: [string, Change, string][] = [
    ['a wrong region', ({ STORAGE_URL }) => ({ STORAGE_URL: STORAGE_URL?.replace('eu-test-1', 'us-east-1') }), 'SignatureDoesNotMatch'],
    ['a wrong secret', () => ({ AWS_SECRET_ACCESS_KEY: 'wrong-secret' }), 'SignatureDoesNotMatch'],
    ['a missing bucket', ({ STORAGE_URL }) => ({ STORAGE_URL: STORAGE_URL?.replace('parley-files', 'other') }), 'NoSuchBucket'],
    ['a certificate that nobody has signed', ({ STORAGE_URL }) => ({ STORAGE_URL: STORAGE_URL?.replace(/http:[^&]+/, selfSigned.url) }), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ]; // biome-ignore format: a table
  test('a full disk', async () => {
    const { log: own, lines: ownLines } = collectLog('warn');
    const { secrets, tokens } = gateway.services;
    const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'parley-disk-'));
    const replica = await openGateway({ DATA_DIR }, { secrets, tokens, log: own }, gateway.handle);
    await fillDisk();
    const asked = { message: { attachments: [file('full')] } };
    const answer = await replica.rest(await gateway.bearer(home.app), 'POST', `/api/${agentId}`, asked);
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(ownLines.filter((line) => JSON.stringify(line).includes('ENOSPC: no space left on device'))).toHaveLength(1);
  });

  test.each(cases)('%s', async (_, change, why) => {
    const server = await startS3Server();
    const { secrets, tokens } = gateway.services;
    const env = { ...server.env, ...change(server.env) } as Record<string, string>;
    const { log: own, lines: ownLines } = collectLog('warn');
    const replica = await openGateway(env, { secrets, tokens, log: own }, gateway.handle);
    const asked = { message: { attachments: [file(why)] } };
    const answer = await replica.rest(await gateway.bearer(home.app), 'POST', `/api/${agentId}`, asked);
    await server.close();
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    const told = ownLines.map((line) => JSON.stringify(line));
    expect(told.filter((line) => line.includes(why))).toHaveLength(1);
    expect(told.join()).not.toContain(env.AWS_SECRET_ACCESS_KEY);
  });
});

test('why a model cannot be reached is logged: nobody has signed its certificate', async () => {
  const { log: own, lines: ownLines } = collectLog('warn');
  const { secrets, tokens } = gateway.services;
  const env = { MODEL_BASE_URL: `${selfSigned.url}/v1`, MODEL_NAME: 'm', MODEL_API_KEY: 'sk-canary-key-0123' };
  const replica = await openGateway(env, { secrets, tokens, log: own }, gateway.handle);
  const asked = { message: { content: 'Hi' } };
  const answer = await replica.rest(await gateway.bearer(home.app), 'POST', `/api/${agentId}`, asked);
  expect(answer.status).toBe(502);
  const told = ownLines.map((line) => JSON.stringify(line)).filter((line) => line.includes('certificate'));
  expect(told.length).toBeGreaterThan(0);
  expect(told.join()).not.toContain('canary');
});
