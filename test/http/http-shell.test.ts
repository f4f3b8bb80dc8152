import { Hono } from 'hono';
import { type Logger, pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { invalid, unauthorized } from '../../src/core/errors.ts';
import { findUnstorable } from '../../src/core/json-limits.ts';
import { readJson } from '../../src/http/body.ts';
import { notFoundResponse, respond } from '../../src/http/errors.ts';
import { failureOf } from '../../src/http/failure.ts';
import { healthResponse, readyResponse } from '../../src/http/health.ts';
import { describeError } from '../../src/http/log/describe-error.ts';
import { type HttpVariables, requestLog } from '../../src/http/log/request-log.ts';
import { pipelineMiddleware } from '../../src/http/node-listener.ts';
import { createPipeline } from '../../src/http/pipeline.ts';
import { crossOrigin, securityHeaders } from '../../src/http/security.ts';

const silent = pino({ level: 'silent' });

function lines(): { log: Logger; written: Record<string, unknown>[] } {
  const written: Record<string, unknown>[] = [];
  const log = pino(
    { level: 'debug', serializers: { err: describeError } },
    { write: (line: string) => void written.push(JSON.parse(line)) },
  );
  return { log, written };
}

const received = (log: Logger) => pipelineMiddleware(createPipeline({ handlers: [], log, databaseTimeoutMs: 25_000 }));

function shell(log: Logger): Hono<{ Variables: HttpVariables }> {
  const app = new Hono<{ Variables: HttpVariables }>();
  app.use(received(log), requestLog(log), securityHeaders(), crossOrigin());
  app.post('/echo', async (c) => c.json((await readJson(c.req.raw, 1_000)) ?? null));
  app.get('/fail', () => {
    throw Object.assign(new Error('insert into secrets: password=hunter2'), { detail: 'Key (email)=(a@b.c)' });
  });
  app.get('/page', () => new Response('<p>', { headers: { 'content-type': 'text/html' } }));
  app.options('/plain', (c) => c.json({ plain: true }));
  app.notFound((c) => notFoundResponse(c.req.path));
  app.onError((error) => respond(failureOf(error, log)));
  return app;
}

const json = { 'content-type': 'application/json' };
const post = (body: BodyInit | null, headers: Record<string, string> = json) =>
  shell(silent).request('/echo', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

async function failure(response: Response | Promise<Response>) {
  const { status, headers } = await response;
  const body = (await (await response).json()) as { message: string; code: string; issues?: { message: string }[] };
  return { status, headers, ...body };
}

describe('an error', () => {
  test('has message, code, issues, its status and its headers', async () => {
    expect(await failure(respond(invalid(['a is wrong', 'b is wrong'])))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      issues: [{ message: 'a is wrong' }, { message: 'b is wrong' }],
    });
    const { status, headers } = await failure(respond(unauthorized('No.')));
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(headers.get('content-type')).toMatch('application/json');
  });

  test('that nobody foresaw is neutral to the caller and logged without secrets', async () => {
    const { log, written } = lines();
    const answer = await failure(
      shell(log).request('/fail?token=in-query', { headers: { authorization: 'Bearer in-header' } }),
    );
    expect(answer).toMatchObject({
      status: 500,
      code: 'internal_error',
      message: expect.stringMatching(/log says why.*X-Request-Id/),
    });
    const text = JSON.stringify(written);
    expect(text).toContain('insert into secrets');
    for (const secret of ['hunter2', 'a@b.c', 'in-query', 'in-header']) expect(text).not.toContain(secret);
  });

  test('names an unknown path', async () => {
    expect(await failure(shell(silent).request('/nowhere'))).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('is logged with its causes, but neither the call that Prisma prints nor credentials', () => {
    const prisma = new Error(
      'Invalid `db.app.create()` invocation:\n\n{ data: { secret: "open-sesame" } }\n\nThe column is gone.',
    );
    const described = describeError(new Error('postgres://u:pw@h/d is down', { cause: prisma }));
    expect(described).toMatchObject({
      message: 'postgres://***@h/d is down',
      cause: { message: 'The column is gone.' },
    });
    expect(JSON.stringify(described)).not.toContain('open-sesame');
  });
});

describe('a JSON body', () => {
  test('may be absent, and may have a +json type, a charset and a byte order mark', async () => {
    expect(await (await post(null, {})).json()).toBeNull();
    expect(
      await (await post('\uFEFF{"a":1}', { 'content-type': 'application/ld+json; charset=UTF-8' })).json(),
    ).toEqual({ a: 1 });
  });

  test.each([
    [{ 'content-type': 'text/plain' }, 'as JSON, with Content-Type'],
    [{ 'content-type': 'application/jsonp' }, 'as JSON, with Content-Type'],
    [{ 'content-type': 'application/json; charset=utf-16' }, 'in UTF-8'],
    [{ ...json, 'content-encoding': 'gzip' }, 'uncompressed'],
    [{}, 'as JSON, with Content-Type'],
  ])('must be declared as plain JSON, not %o', async (headers: Record<string, string>, hint: string) => {
    const bytes = new TextEncoder().encode('{}');
    const answer = await failure(post(bytes, headers));
    expect(answer).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    expect(answer.message).toContain(`Send the body ${hint}`);
  });

  test('is refused when too large, as announced and as it streams', async () => {
    const announced = await failure(post('{}', { ...json, 'content-length': '1001' }));
    expect(announced).toMatchObject({ status: 413, code: 'payload_too_large' });
    let pulled = 0;
    const endless = new ReadableStream({
      pull: (stream) => {
        pulled += 100;
        stream.enqueue(new Uint8Array(100).fill(0x20));
      },
    });
    expect(await failure(post(endless))).toMatchObject({ status: 413 });
    expect(pulled).toBeLessThan(2_000);
  });

  test.each([
    ['{"secret": abc}', 'line 1, column 12'],
    ['{"a": 1,\n "secret" 2}', 'line 2, column 11'],
    ['{"a": [1, 2,]}', 'line 1, column 13'],
    ['{"a": "b\\x"}', 'line 1, column 9'],
    ['{"a": "b\nc"}', 'line 1, column 9'],
    ['{"a": 01}', 'line 1, column 8'],
    ['{} {}', 'line 1, column 4'],
    ['{"a": "secret', 'ends too early, at line 1, column 14'],
    ['[1, 2', 'ends too early, at line 1, column 6'],
    ['  ', 'ends too early, at line 1, column 3'],
  ])('that is malformed, %j, is told where', async (text, place) => {
    const { status, code, message } = await failure(post(text));
    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(message).toContain(place);
    expect(message).not.toContain('secret');
  });

  test('must be UTF-8', async () => {
    expect(await failure(post(new Uint8Array([0x22, 0xc3, 0x28, 0x22])))).toMatchObject({
      status: 400,
      message: 'The body is not valid UTF-8: encode it in UTF-8.',
    });
  });

  test('may hold any character that can be stored, and names the key of one that cannot', async () => {
    expect(await (await post('{"a":"\\ud83d\\ude00 \\u0001"}')).json()).toEqual({ a: '😀 \u0001' });
    const { status, issues } = await failure(post('{"a":[{"b":"x\\u0000"}],"c":"\\ud83d!","d":{"e\\u0000":1}}'));
    expect(status).toBe(400);
    expect(issues?.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^a\.0\.b contains a NUL/),
      expect.stringMatching(/^c contains an unpaired surrogate/),
      expect.stringMatching(/^A key of d contains a NUL/),
    ]);
    expect(findUnstorable({ search: 'a\0' })).toEqual([expect.stringMatching(/^search contains a NUL/)]);
  });

  test.each(['1e400', '-1E+309', '9'.repeat(310), `${'9'.repeat(250)}e90`, '9007199254740993', '-1234567890123456789'])(
    'must hold no number that would be kept as null, or as another one: %s',
    async (number) => {
      const { status, issues } = await failure(post(`{"a":{"b":[1e3, 1.7e308, ${number}]}}`));
      expect([status, issues]).toEqual([
        400,
        [{ message: 'a.b.2 is a number too large to store exactly: send it as text.' }],
      ]);
    },
  );

  test('must not have a key __proto__, however it is written', async () => {
    for (const key of ['__proto__', '\\u005f_proto__']) {
      expect(await failure(post(`{"custom":{"${key}":{"admin":true}}}`))).toMatchObject({ status: 400 });
    }
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test('may nest 100 levels and no more, whatever the depth', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect((await post(nested(100))).status).toBe(200);
    expect(await failure(post(nested(101)))).toMatchObject({ status: 400, code: 'invalid_request' });
    const request = new Request('http://x', { method: 'POST', headers: json, body: '['.repeat(500_000) });
    await expect(readJson(request, 1_000_000)).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await post(JSON.stringify({ a: `"\\${'['.repeat(300)}` }))).status).toBe(200);
  });
});

describe('every request', () => {
  test('has one line in the log and an id, and shows neither query values nor the bearer', async () => {
    const { log, written } = lines();
    const headers = { 'x-request-id': 'abc-123', authorization: 'Bearer in-header' };
    const response = await shell(log).request('/nowhere?email=a@b.c', { headers });
    expect(response.headers.get('x-request-id')).toBe('abc-123');
    expect(written).toHaveLength(1);
    expect(written[0]).toMatchObject({ method: 'GET', path: '/nowhere', status: 404, requestId: 'abc-123' });
    expect(JSON.stringify(written)).not.toMatch(/in-header|a@b/);
  });

  test('is logged with the trace that it belongs to, if its traceparent is valid', async () => {
    const { log, written } = lines();
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const parents = [`00-${trace}-00f067aa0ba902b7-01`, `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, 'x'];
    for (const traceparent of parents) await shell(log).request('/nowhere', { headers: { traceparent } });
    expect(written.map(({ traceId }) => traceId)).toEqual([trace, undefined, undefined]);
  });

  test('is logged with the address that it counts for', async () => {
    const { log, written } = lines();
    const app = new Hono<{ Variables: HttpVariables }>();
    app.use(
      received(log),
      requestLog(log, () => '203.0.113.7'),
    );
    await app.request('/nowhere');
    expect(written[0]).toMatchObject({ address: '203.0.113.7' });
  });

  test('gets an id of ours instead of one that is not sane', async () => {
    const response = await shell(silent).request('/nowhere', { headers: { 'x-request-id': '{"forged":"line"}' } });
    expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });

  test('is answered with security headers', async () => {
    const { headers } = await shell(silent).request('/nowhere');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('another origin', () => {
  test('may call with any header, and reads the headers that matter, without credentials', async () => {
    const asked = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization,prefer' };
    const preflight = await shell(silent).request('/echo', {
      method: 'OPTIONS',
      headers: { origin: 'https://a.b', ...asked },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization,prefer');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
    const { headers } = await shell(silent).request('/nowhere', { headers: { origin: 'https://a.b' } });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')?.split(',')).toEqual([
      'Age',
      'Allow',
      'Content-Disposition',
      'Content-Range',
      'Deprecation',
      'ETag',
      'Link',
      'Preference-Applied',
      'Retry-After',
      'Sunset',
      'Warning',
      'WWW-Authenticate',
      'X-Parley-Conversation',
      'X-Request-Id',
      'RateLimit',
      'RateLimit-Policy',
    ]);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('may not read a page, and a plain OPTIONS reaches its route', async () => {
    const page = await shell(silent).request('/page', { headers: { origin: 'https://a.b' } });
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
    expect(await (await shell(silent).request('/plain', { method: 'OPTIONS' })).json()).toEqual({ plain: true });
  });
});

describe('health', () => {
  test('lives, and is ready only when readiness says so', async () => {
    expect(await healthResponse().json()).toEqual({ status: 'ok' });
    expect(await (await readyResponse(async () => null)).json()).toEqual({ status: 'ready' });
    expect(await failure(readyResponse(async () => 'It waits.'))).toMatchObject({
      status: 503,
      code: 'unavailable',
      message: 'The service is not ready. It waits.',
    });
    expect(await failure(readyResponse(() => Promise.reject(new Error('down'))))).toMatchObject({ status: 503 });
  });
});
