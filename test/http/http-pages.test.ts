import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, Server } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import type { ParleyError } from '../../src/core/errors.ts';
import { readJson } from '../../src/http/body.ts';
import { graphiqlAsset, graphiqlPage } from '../../src/http/pages/graphiql.ts';
import { signInOf } from '../../src/http/pages/page.ts';
import { referenceAsset, referencePage } from '../../src/http/pages/reference.ts';
import { listen } from '../../src/http/server.ts';

/** The modules that a script imports: with the names that it takes, or for what they do. */
function importsOf(script: string): { path: string; names: string[] }[] {
  const imports = [...script.matchAll(/(?:const \{([^}]*)\} = await|\bvoid) import\('([^']+)'\)/g)];
  expect(imports.length).toBe(script.split('import(').length - 1);
  return imports.map(([, names = '', path = '']) => ({ path, names: names.match(/\w+/g) ?? [] }));
}

const exportsOf = (module: string): string[] => [
  ...[...module.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)].map(([, name = '']) => name),
  ...[...module.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names = '']) => names.match(/\w+/g) ?? []),
];

const local = { host: '127.0.0.1', port: 0 };

describe('a page', () => {
  const get = (headers: Record<string, string> = {}) => new Request('http://localhost/x', { headers });

  test.each([
    [
      'GraphiQL',
      graphiqlPage({
        endpoint: 'graphql',
        examples: [{ title: 'Some', examples: [{ title: 'A', label: 'A', query: '{ a(b: "</script>") }' }] }],
        first: 'A',
        signIn: signInOf(true, false),
        sql: false,
        links: [['A "link"', 'x', false]],
      }),
    ],
    [
      'the REST reference',
      referencePage({
        description: 'openapi.json',
        signIn: signInOf(true, false),
        links: [['GraphiQL', 'graphql', true]],
      }),
    ],
  ])('%s holds no inline script and names no other host', async (_name, page) => {
    const html = await page.text();
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(html.match(/<script(?! defer src="(?:graphiql|reference)\/| type="application\/json")/g)).toBeNull();
    expect(html.match(/<\/script>/g)).toHaveLength(html.match(/<script/g)?.length ?? 0);
    expect(html.match(/(?:src|href)="(?!#\w+"|\w[\w/-]*(?:\.\w+)?"|data:)/g)).toBeNull();
  });

  test.each([
    [
      true,
      false,
      'Open the address that “npm run --silent open” prints, or enter a token, which “npm run --silent token” prints.',
    ],
    [false, false, 'Enter a token, which the operator creates with “npm run --silent token -- --workspace wsp_…”.'],
    [
      false,
      true,
      'Enter a token from your identity provider, or one which the operator creates with “npm run --silent token -- --workspace wsp_…”.',
    ],
  ])('says how to sign in: with the demo %s, with an identity provider %s', (session, outside, text) => {
    expect(signInOf(session, outside)).toEqual({ session, notice: `Nobody is signed in here. ${text}` });
  });

  test('has files that are compressed as the browser likes, with an ETag that revalidates', async () => {
    const plain = await referenceAsset(get(), 'scalar.js');
    const text = await plain.text();
    const brotli = await referenceAsset(get({ 'accept-encoding': 'gzip, br' }), 'scalar.js');
    expect(brotli.headers.get('content-encoding')).toBe('br');
    expect(brotliDecompressSync(await brotli.arrayBuffer()).toString()).toBe(text);
    const gzip = await referenceAsset(get({ 'accept-encoding': 'gzip, br;q=0' }), 'scalar.js');
    expect(gunzipSync(await gzip.arrayBuffer()).toString()).toBe(text);
    const etag = brotli.headers.get('etag') ?? '';
    expect((await referenceAsset(get({ 'accept-encoding': 'br', 'if-none-match': etag }), 'scalar.js')).status).toBe(
      304,
    );
  });

  test('has every file that it names, and no other one', async () => {
    for (const name of [
      'graphiql.css',
      'graphiql.js',
      'session.js',
      'token.js',
      'start.js',
      'json.js',
      'graphql.js',
      'editorWorkerService.js',
      'environment.js',
      'panels.css',
      'chart.js',
    ]) {
      expect((await graphiqlAsset(get(), name)).status, name).toBe(200);
    }
    // A page whose script imports one that is not there does nothing.
    const found = new Set(['panels/main.js', 'panels/boards/main.js']);
    for (const name of found) {
      const response = await graphiqlAsset(get(), name);
      expect(response.status, name).toBe(200);
      for (const [, path = ''] of (await response.text()).matchAll(/ from '([^']+)'/g))
        found.add(new URL(path, `http://x/${name}`).pathname.slice(1));
    }
    expect(found.size).toBeGreaterThan(30);
    expect((await referenceAsset(get(), '../../package.json')).status).toBe(404);
    expect((await graphiqlAsset(get(), 'constructor')).status).toBe(404);
  });

  test.each([
    ['graphiql-start.js', graphiqlAsset, 'start.js', ['searchDocs', 'startPanels']],
    ['boards-start.js', graphiqlAsset, 'boards.js', []],
    ['reference-start.js', referenceAsset, 'start.js', ['described', 'effectOn', 'exampleRows', 'idsOf']],
  ])('%s imports what the served modules export', async (_file, asset, name, expected) => {
    const imported = importsOf(await (await asset(get(), name)).text());
    expect(imported.flatMap(({ names }) => names).toSorted()).toEqual(expected);
    for (const { path, names } of imported) {
      const served = await (await asset(get(), path.replace('./', ''))).text();
      expect(exportsOf(served), path).toEqual(expect.arrayContaining(names));
    }
  });

  test('no other script of a page imports a module', () => {
    const folder = new URL('../../src/http/pages/browser/', import.meta.url);
    const scripts = readdirSync(folder).filter((file) => file.endsWith('.js'));
    const importing = scripts.filter((file) => readFileSync(new URL(file, folder), 'utf8').includes('import('));
    expect(importing).toEqual(['boards-start.js', 'graphiql-start.js', 'reference-start.js']);
  });
});

describe('a port', () => {
  test('that is taken is refused in words that name PORT', async () => {
    const first = await listen(() => new Response('hi'), local);
    const port = Number(new URL(first.url).port);
    await expect(listen(() => new Response(), { ...local, port })).rejects.toThrow(/^PORT: \d+ is already in use/);
    await first.close(0);
  });

  test.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOTFOUND', 'EAI_AGAIN'])(
    'of an address that is not the machine’s is refused in words that name HOST: %s',
    async (code) => {
      vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
        process.nextTick(() => this.emit('error', Object.assign(new Error(code), { code })));
        return this;
      });
      await expect(listen(() => new Response(), { host: 'elsewhere', port: 0 })).rejects.toThrow(/^HOST: elsewhere /);
    },
  );

  test('answers a request that junk follows, and then says that the junk is none', async () => {
    const answer = Promise.withResolvers<void>();
    const server = await listen(
      async (request) => {
        if (new URL(request.url).pathname === '/slow') await answer.promise;
        return new Response('the whole answer');
      },
      { ...local },
    );
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += String(chunk);
    });
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n\x00junk that is no request\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(received).toBe('');
    answer.resolve();
    await once(socket, 'close');
    expect(received).toMatch(/^HTTP\/1\.1 200 [^]*the whole answer/);
    await server.close(0);
  });

  test('answers bytes that are not HTTP in the error shape', async () => {
    const server = await listen(() => new Response('hi'), local);
    const raw = async (text: string) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1').end(text);
      return (await socket.setEncoding('utf8').toArray()).join('');
    };
    const long = `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(40_000)}\r\n\r\n`;
    expect(await raw('hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [^]*\r\n\r\n\{"message":.*"code":"invalid_request"/);
    expect(await raw('GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [^]*"code":"invalid_request"/);
    expect(await raw('GET / HTTP/1.0\r\n\r\n')).toContain('"The Host header is missing: ');
    for (const path of ['/health', '/ready'])
      expect(await raw(`GET ${path} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
    expect(await raw('GET /ready HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
    expect(await raw('GET / HTTP/1.1\r\nHost: a b\r\n\r\n')).toContain('"The Host header is not the name of a host, ');
    expect(await raw('GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n')).toContain(
      '"The address in the request line is not valid."',
    );
    for (const tooLong of [long, `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`])
      expect(await raw(tooLong)).toMatch(/^HTTP\/1.1 413 [^]*address and the headers [^]*"code":"payload_too_large"/);
    await server.close(0);
  });

  test('reads bodies that arrive over a socket, and stays usable after a refused one', async () => {
    const server = await listen(async (request) => {
      const answer = await readJson(request, 1_000).catch((error: ParleyError) => error.body);
      return Response.json(answer ?? null);
    }, local);
    const send = async (init: RequestInit) => (await fetch(server.url, { method: 'POST', ...init })).json();
    const headers = { 'content-type': 'application/json' };
    expect(await send({})).toBeNull();
    expect(await send({ body: '{"a":1}', headers })).toEqual({ a: 1 });
    expect(await send({ body: 'x'.repeat(500_000), headers })).toMatchObject({ code: 'payload_too_large' });
    expect(await send({ body: 'a=1' })).toMatchObject({ code: 'unsupported_media_type' });
    await server.close(0);
  });

  test('closes with what is in flight finished, and idle or silent connections dropped at once', async () => {
    const [arrived, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()];
    const server = await listen((request) => {
      if (!request.url.endsWith('/held')) return new Response('at once');
      arrived.resolve();
      return answer.promise;
    }, local);
    const silentSocket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(silentSocket, 'connect');
    await (await fetch(server.url)).text();
    const inFlight = fetch(`${server.url}/held`);
    await arrived.promise;
    // A close that waited for this grace period would outlast the test.
    const closed = server.close(3_600_000);
    await once(silentSocket, 'close');
    await expect(fetch(server.url)).rejects.toThrow();
    answer.resolve(new Response('done'));
    expect(await (await inFlight).text()).toBe('done');
    await closed;
  });

  test('is closed by force after the grace', async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await listen(() => {
      arrived.resolve();
      return new Promise(() => {});
    }, local);
    const stuck = fetch(server.url).catch((error: Error) => error);
    await arrived.promise;
    await server.close(50);
    expect(await stuck).toBeInstanceOf(Error);
  });
});
