import { SignJWT } from 'jose';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createOidcIssuer } from '../../src/auth/oidc/issuer.ts';
import { graphqlAt } from '../../src/cli/shared/graphql-client.ts';
import { readConfig } from '../../src/config/config.ts';
import { inSpan } from '../../src/core/tracing.ts';
import type { Database } from '../../src/database/client.ts';
import { loadContent } from '../../src/knowledge/extract/load.ts';
import { readYoutube } from '../../src/knowledge/extract/youtube.ts';
import { createReranker } from '../../src/knowledge/reranker.ts';
import { createBreaker } from '../../src/model/breaker.ts';
import { embedTexts } from '../../src/model/embed.ts';
import { candidateOf } from '../../src/model/models.ts';
import { createReadPage } from '../../src/model/read-page.ts';
import { Verdicts } from '../../src/model/restricted/verifier.ts';
import { createModelService } from '../../src/model/service.ts';
import { createTranscribe } from '../../src/model/transcribe.ts';
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts';
import { useProxy } from '../../src/net/proxy.ts';
import { callOperation } from '../../src/plugins/call-operation.ts';
import { loadPlugin } from '../../src/plugins/load-plugin.ts';
import { renewGrant } from '../../src/plugins/oauth.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { startTracing } from '../../src/telemetry/traces.ts';
import { request } from '../support/model/model-requests.ts';
import { hangs, startHangingServer } from '../support/net/hanging-server.ts';
import { stopDeadlines } from '../support/net/stopped-deadlines.ts';
import { oneOfEach } from '../support/random/cases.ts';
import { collectLog } from '../support/telemetry/log-lines.ts';

/** Somebody outside: how they are asked, what the caller is told, and within how many milliseconds. */
type Peer = { ask: (origin: string) => Promise<unknown>; told: object; withinMs: number; type?: string };

const { log } = collectLog('silent');
const fetch = createGuardedFetch({ allowHosts: ['127.0.0.1'] });
const second = 1_000;
const timeoutMs = 60 * second;
const events = 'text/event-stream';
const rejects = (error: object) => ({ error: expect.objectContaining(error) });
/** The status alone says that it was done. */
const storedOrNot = expect.toSatisfy((outcome: { value?: unknown; error?: { code: string } }) =>
  'value' in outcome ? outcome.value === undefined : outcome.error?.code === 'unavailable',
);
const storageFails = rejects({ code: 'unavailable' });
const modelIsSlow = rejects({ code: 'model_timeout' });
const fetchFails = rejects({ message: expect.stringMatching(/did not answer within|is larger than/) });

const storageKey = `wsp_${'0'.repeat(26)}/fil_${'0'.repeat(26)}`;
const storage = (origin: string) =>
  createStorage(
    readConfig({
      STORAGE_URL: `s3://files?endpoint=${origin}&region=r`,
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    }).storage,
  );
const settingsOf = (provider: string, origin: string) =>
  readConfig({ MODELS: `own=${provider}:m?url=${origin}&key=KEY`, KEY: 'k' }).models;
const settingOf = (provider: string, origin: string) =>
  settingsOf(provider, origin).list[0] ?? expect.unreachable('no model');
const model = (provider: string) => (origin: string) =>
  createModelService({ models: settingsOf(provider, origin), timeoutMs, retries: 0 });
const asked = { name: 'm', provider: 'openai' as const, secret: null, breaker: createBreaker() };
const issuer = (named: boolean) => async (origin: string) => {
  const oidc = {
    issuer: origin,
    audiences: ['a'],
    emailClaim: 'email',
    jwksUrl: named ? `${origin}/keys` : null,
    emailVerified: 'required' as const,
  };
  const verify = createOidcIssuer({ oidc, maxTokenSeconds: 86_400, database: {} as Database, now: () => new Date() });
  const token = new SignJWT({ sub: '1', iss: origin, aud: 'a' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h');
  // The algorithm is changed so that a key is looked for.
  const [, ...rest] = (await token.sign(new Uint8Array(32))).split('.');
  return verify([Buffer.from('{"alg":"RS256"}').toString('base64url'), ...rest].join('.'));
};
const operation = {
  name: 'read',
  description: '',
  method: 'GET',
  parameters: [],
  body: null,
  arguments: { type: 'object' },
  authorized: false,
};
const client = (origin: string) => ({
  clientId: 'c',
  clientSecret: 's',
  authorizationUrl: origin,
  tokenUrl: `${origin}/token`,
  revocationUrl: '',
  scope: '',
});

/** What sends a span to a collector, and then ends. */
async function sendSpan(origin: string): Promise<void> {
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = origin;
  const { tracing } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: origin });
  const end = startTracing(tracing ?? expect.unreachable(), log);
  await inSpan(
    () => ({ name: 'a span' }),
    async () => {},
  );
  return end();
}

const peers: Record<string, Peer> = {
  'a bucket that is written to': {
    ask: (origin) => storage(origin).put(storageKey, Buffer.alloc(1_000), '0'.repeat(64)),
    told: storedOrNot,
    withinMs: 30 * second,
  },
  'a bucket that is read': {
    ask: (origin) => storage(origin).get(storageKey),
    told: storageFails,
    withinMs: 30 * second,
  },
  'a bucket whose object is streamed': {
    async ask(origin) {
      const body = await storage(origin).open(storageKey);
      await body?.pipeTo(new WritableStream());
    },
    told: rejects({}),
    withinMs: 330 * second,
  },
  'a bucket from which is deleted': {
    ask: (origin) => storage(origin).delete(storageKey),
    told: storedOrNot,
    withinMs: 30 * second,
  },
  'the token service of a role (STS)': {
    ask(origin) {
      // The token is any file; none of this machine's owner takes part.
      for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/dev/null');
      vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', import.meta.filename);
      vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::123456789012:role/files');
      vi.stubEnv('AWS_ENDPOINT_URL_STS', origin);
      const bucket = readConfig({ STORAGE_URL: 's3://files?endpoint=http://127.0.0.1:9&region=r' }).storage;
      return createStorage(bucket).get(storageKey);
    },
    told: storageFails,
    withinMs: 10 * second,
    type: 'text/xml',
  },
  'the agent of a container that gives the keys of a role': {
    async ask(origin) {
      for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/dev/null');
      vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${origin}/v1/credentials`);
      const bucket = readConfig({ STORAGE_URL: 's3://files?endpoint=http://127.0.0.1:9&region=r' }).storage;
      return createStorage(bucket).get(storageKey);
    },
    told: storageFails,
    withinMs: 10 * second,
  },
  ...Object.fromEntries(
    ['openai', 'anthropic', 'google'].flatMap((provider): [string, Peer][] => [
      [
        `a model of ${provider}`,
        { ask: (origin) => model(provider)(origin).reply(request('Hi')), told: modelIsSlow, withinMs: timeoutMs },
      ],
      [
        `a streaming model of ${provider}`,
        {
          ask: (origin) => model(provider)(origin).stream(request('Hi'), () => {}),
          told: modelIsSlow,
          withinMs: timeoutMs,
          type: events,
        },
      ],
    ]),
  ),
  'a model that embeds': {
    ask(origin) {
      const settings = readConfig({ EMBEDDING_MODEL: `openai:e?url=${origin}` }).embedding ?? expect.unreachable();
      return embedTexts(settings, asked, ['a'], { timeoutMs, retries: 1, backoffMs: 1 });
    },
    told: modelIsSlow,
    withinMs: timeoutMs,
  },
  'a model that reranks': {
    ask(origin) {
      const settings = readConfig({ RERANK_MODEL: `tei:r?url=${origin}` }).rerank ?? expect.unreachable();
      return createReranker({ settings, log }).rerank('a', ['b', 'c']);
    },
    told: { value: null },
    withinMs: 1_500,
  },
  'a model that judges': {
    async ask(origin) {
      const judge = candidateOf(settingOf('openai', origin));
      const verdicts = new Verdicts(request('Hi'), { model: judge, signal: new AbortController().signal });
      verdicts.judged('a', ['b']);
      await verdicts.settled();
      return verdicts.judged('a', ['b']);
    },
    told: { value: null },
    withinMs: 5 * second,
  },
  'a model that reads pictures': {
    ask: (origin) =>
      createReadPage({ settings: settingOf('openai', origin), maxPages: 1, timeoutMs, log }).read([new Uint8Array(9)]),
    told: modelIsSlow,
    withinMs: timeoutMs,
  },
  'a model that transcribes': {
    ask: (origin) => createTranscribe({ baseUrl: origin, name: 'w', apiKey: null, timeoutMs })(new Uint8Array(9)),
    told: rejects({ message: 'The transcription model did not answer in time', retryable: true }),
    withinMs: timeoutMs,
  },
  'the API of a plugin': {
    ask: (origin) => callOperation({ ...operation, url: `${origin}/x` }, {}, { fetch, token: null, timeoutMs }),
    told: { value: expect.objectContaining({ failed: true }) },
    // A read is tried twice.
    withinMs: 2 * timeoutMs,
  },
  'the description of a plugin': {
    ask: (origin) => loadPlugin(fetch, 'wsp_1', `${origin}/openapi.json`),
    told: rejects({}),
    withinMs: 60 * second,
  },
  'a token server': {
    ask: (origin) => renewGrant(client(origin), 'refresh', { fetch }),
    told: rejects({ name: 'GrantRefused', final: false }),
    withinMs: 15 * second,
  },
  'an issuer': { ask: issuer(false), told: rejects({ code: 'unavailable' }), withinMs: 5 * second },
  'the keys of an issuer': { ask: issuer(true), told: rejects({ code: 'unavailable' }), withinMs: 5 * second },
  'a page': {
    ask: (origin) => loadContent({ type: 'page', url: origin } as never, fetch),
    told: fetchFails,
    withinMs: 30 * second,
  },
  'a file': {
    ask: (origin) => loadContent({ type: 'file', url: origin } as never, fetch),
    told: fetchFails,
    withinMs: 120 * second,
  },
  'a video': {
    ask: (base) => readYoutube('https://youtu.be/abcdefghijk', { guardedFetch: fetch, base }),
    told: fetchFails,
    withinMs: 15 * second,
  },
  'a gateway to which operations are pushed': {
    ask: (origin) => graphqlAt(origin, 'token')('{ operations { nodes { id } } }', {}),
    told: rejects({ message: expect.stringMatching(/^the gateway at .* did not answer within 60 seconds$/) }),
    withinMs: 60 * second,
  },
  'a collector of traces': { ask: sendSpan, told: { value: undefined }, withinMs: second },
  'a proxy before a collector of traces': {
    async ask(origin) {
      onTestFinished(useProxy({ http: origin, https: origin, none: '' }));
      return sendSpan('https://collector.example');
    },
    told: { value: undefined },
    withinMs: second,
  },
};

afterEach(() => {
  vi.unstubAllEnvs();
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
});

const cases = Object.entries(peers).flatMap(([name, peer]) => hangs.map((hang) => ({ name, hang, ...peer })));

test.each(oneOfEach(cases, ({ name }) => name))(
  '$name that keeps its caller waiting ($hang) is left in time',
  { timeout: 30_000 },
  async ({ ask, told, withinMs, type, hang }) => {
    const server = await startHangingServer(hang, type);
    onTestFinished(() => server.close());
    const deadlines = stopDeadlines();
    const answer = ask(server.origin);
    await Promise.race([server.asked(), answer.catch(() => {})]);
    expect(server.accepted()).toBeGreaterThan(0);
    const { ms, ...outcome } = await deadlines.passUntil(answer, Math.min(20 * second, withinMs / 4), server.drip);
    expect(outcome).toEqual(told);
    expect(ms).toBeLessThanOrEqual(withinMs);
    // What has been told may still hold a connection: its own deadline ends that.
    await deadlines.passUntil(server.left(), second, server.drip);
    expect(deadlines.waiting()).toBe(0);
  },
);
