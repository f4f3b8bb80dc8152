import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FetchFailure } from '../../src/net/fetch-failure.ts';
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts';
import { createPublicConnector, isPublicAddress, PrivateAddress, publicLookup } from '../../src/net/public-address.ts';

let servers: Server[];
let port: number;
let otherPort: number;
const seen: { path: string; headers: Record<string, unknown>; method: string | undefined }[] = [];

const pages: Record<string, RequestListener> = {
  '/page': (_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end('<p>Olá</p>'),
  '/moved': (_, response) => response.writeHead(301, { location: '/page' }).end(),
  '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/inside': (_, response) => response.writeHead(302, { location: `http://localhost:${port}/secret` }).end(),
  '/file-scheme': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/elsewhere': (_, response) => response.writeHead(307, { location: `http://127.0.0.1:${otherPort}/page` }).end(),
  '/broken': (_, response) => response.writeHead(503).end('stack trace'),
  '/cut': (_, response) => response.writeHead(200, { 'content-length': '100' }).write('x', () => response.destroy()),
  '/slow': (_, response) => void response.writeHead(200).write('a'),
  '/silent': () => undefined,
  '/large': (_, response) => response.end(Buffer.alloc(2_000)),
  '/endless': (_, response) => {
    const more = () => response.write(Buffer.alloc(1_000), (error) => error || more());
    more();
  },
  '/bomb': (_, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(1_000_000))),
};

beforeAll(async () => {
  const answer: RequestListener = (request, response) => {
    seen.push({ path: request.url ?? '', headers: request.headers, method: request.method });
    const page = pages[request.url ?? ''];
    if (page) page(request, response);
    else response.writeHead(404).end();
  };
  servers = [createServer(answer), createServer(answer)];
  await Promise.all(servers.map((server) => new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))));
  [port, otherPort] = servers.map((server) => (server.address() as AddressInfo).port) as [number, number];
});
beforeEach(() => void seen.splice(0));
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const guarded = () => createGuardedFetch({ allowHosts: [] });
const exempt = () => createGuardedFetch({ allowHosts: [`127.0.0.1:${port}`] });
const at = (path: string) => `http://127.0.0.1:${port}${path}`;
const failure = async (attempt: Promise<unknown>) => {
  const error = await attempt.then(
    () => new Error('It was fetched'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FetchFailure);
  return error as FetchFailure;
};

describe('no private address is ever connected to', () => {
  const literals = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '0',
    '0.0.0.0',
    '127.255.255.254',
    '①②⑦.⓪.⓪.①',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fec0::1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ip6-localhost',
  ];
  it.each(literals)('%s is refused', async (host) => {
    const { message } = await failure(guarded()(`http://${host}:${port}/page`, { timeoutMs: 60_000 }));
    expect(message).toMatch(
      /^The address is (private: only the operator can allow its host \(FETCH_ALLOW_HOSTS\)|not a URL)$|could not be found$/,
    );
    expect(seen).toEqual([]);
  });

  it.each([
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '168.63.129.16',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '::ffff:10.0.0.1',
    '::1.2.3.4',
    'example.com',
    '',
  ])('%j is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
  it.each(['1.1.1.1', '93.184.216.34', '2606:4700::1111', '::ffff:1.1.1.1'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it('a redirect into the private network is refused, and the target is not asked', async () => {
    expect(await failure(exempt()(at('/inside')))).toMatchObject({
      message: 'The address is private: only the operator can allow its host (FETCH_ALLOW_HOSTS)',
      retryable: false,
    });
    expect(seen.map(({ path }) => path)).toEqual(['/inside']);
  });

  const answering = (addresses: object[]) =>
    ((_name: string, _options: unknown, done: (...found: unknown[]) => void) => done(null, addresses)) as never;
  const inside = { address: '127.0.0.1', family: 4 };
  const outside = { address: '1.1.1.1', family: 4 };

  it('a public name that leads to a private address is refused', async () => {
    const fetch = createGuardedFetch({ allowHosts: [], lookup: answering([inside]) });
    expect((await failure(fetch(`http://rebind.example:${port}/secret`))).message).toBe(
      'The address is private: only the operator can allow its host (FETCH_ALLOW_HOSTS)',
    );
    expect(seen).toEqual([]);
  });

  it('what is checked is what is connected to: the socket is given the public addresses of one lookup, no others', () => {
    const found: unknown[] = [];
    const note = (...answer: unknown[]) => void found.push(answer.slice(1));
    publicLookup(answering([inside, outside]))('mixed.example', { all: true }, note);
    publicLookup(answering([inside, outside]))('mixed.example', {}, note);
    expect(found).toEqual([[[outside]], ['1.1.1.1', 4]]);
  });

  it('an exempt host is exempt on its own port and by its own name only', async () => {
    const { message } = await failure(exempt()(`http://127.0.0.1:${port - 1}/page`));
    expect(message).toBe('The address is private: only the operator can allow its host (FETCH_ALLOW_HOSTS)');
    expect((await failure(exempt()(`http://localhost:${port}/page`))).message).toBe(
      'The address is private: only the operator can allow its host (FETCH_ALLOW_HOSTS)',
    );
    for (const entry of ['127.0.0.1', `127.0.0.1:${port}`]) {
      expect((await createGuardedFetch({ allowHosts: [entry] })(at('/page'))).status).toBe(200);
    }
  });

  it.each([
    ['::1', true],
    ['[::1]', true],
    ['[::1]:8080', true],
    ['[::1]:8081', false],
    ['::2', false],
    ['127.0.0.1', false],
  ])('an exempt host may be an IPv6 address: by %s, http://[::1]:8080 is %s', (entry, isExempt) => {
    const told: unknown[] = [];
    const build = (() => (_options: object, done: (...told: unknown[]) => void) => done(null, 'socket')) as never;
    const connect = createPublicConnector(build, [entry]);
    connect({ hostname: '[::1]', port: '8080', protocol: 'http:' } as never, (...answer) => void told.push(...answer));
    expect(told).toEqual(isExempt ? [null, 'socket'] : [expect.any(PrivateAddress), null]);
  });
});

describe('what is fetched', () => {
  it('comes with its final URL, status and content type', async () => {
    const answer = await exempt()(at('/moved'));
    expect(answer).toMatchObject({ url: at('/page'), status: 200, contentType: 'text/html; charset=utf-8' });
    expect(new TextDecoder().decode(answer.bytes)).toBe('<p>Olá</p>');
  });

  it('is asked for with the method, headers and body given', async () => {
    await exempt()(at('/page'), { method: 'POST', body: '{}', headers: { 'x-key': 'k' }, accept: 'text/html' });
    expect(seen[0]).toMatchObject({ method: 'POST', headers: { 'x-key': 'k', accept: 'text/html' } });
  });

  it('what the caller sent does not follow a redirect to another origin', async () => {
    const fetch = createGuardedFetch({ allowHosts: ['127.0.0.1'] });
    await fetch(at('/elsewhere'), { method: 'POST', body: 'secret', headers: { authorization: 'Bearer t' } });
    expect(seen[1]).toMatchObject({ path: '/page', method: 'GET' });
    expect(seen[1]?.headers).not.toHaveProperty('authorization');
  });
});

describe('a failure says why, in words for people', () => {
  const bad = [
    ['file:///etc/passwd', 'Only http and https addresses are fetched'],
    ['ftp://example.com/a', 'Only http and https addresses are fetched'],
    ['data:text/plain,a', 'Only http and https addresses are fetched'],
    ['http://user:pass@example.com/', 'An address must not contain a user name or password'],
    ['/page', 'The address is not a URL'],
    ['', 'The address is not a URL'],
    ['http://no-such-host.invalid/x?token=1', 'no-such-host.invalid could not be found'],
  ];
  it.each(bad)('%s: %s', async (url, message) => {
    expect((await failure(guarded()(url ?? ''))).message).toBe(message);
  });

  const impatient = 400;
  const pagesThatFail: [string, string, object, timeoutMs?: number][] = [
    ['/none', 'The page responded with 404', { status: 404, retryable: false }],
    ['/broken', 'The page responded with 503', { status: 503, retryable: true }],
    ['/loop', '127.0.0.1:PORT redirects too many times', { retryable: false }],
    ['/file-scheme', 'Only http and https addresses are fetched', {}],
    ['/slow', '127.0.0.1:PORT did not answer within 0.4 seconds', { retryable: true }, impatient],
    ['/silent', '127.0.0.1:PORT did not answer within 0.4 seconds', { retryable: true }, impatient],
    ['/cut', '127.0.0.1:PORT could not be reached', { retryable: true }],
    ['/large', 'The page is larger than 1 kB', { retryable: false }],
    ['/endless', 'The page is larger than 1 kB', {}],
    ['/bomb', 'The page is larger than 1 kB', {}],
  ];
  it.each(pagesThatFail)('%s: %s', async (path, message, also, timeoutMs = 60_000) => {
    const error = await failure(exempt()(at(path), { timeoutMs, maxBytes: 1_000 }));
    expect(error.message).toBe(message.replace('PORT', String(port)));
    expect(error).toMatchObject(also);
  });

  it('a closed port could not be reached', async () => {
    const fetch = createGuardedFetch({ allowHosts: ['127.0.0.1'] });
    expect((await failure(fetch('http://127.0.0.1:9/'))).message).toBe('127.0.0.1:9 could not be reached');
  });

  it("the caller's own abort is passed on as it is", async () => {
    const stop = new AbortController();
    const attempt = exempt()(at('/silent'), { signal: stop.signal });
    stop.abort(new Error('shutting down'));
    await expect(attempt).rejects.toThrow('shutting down');
  });
});
