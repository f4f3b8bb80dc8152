import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_WORKSPACE_ID, hasDemoPages } from '../../src/auth/demo.ts';
import { createDemoSessions } from '../../src/auth/demo-sessions.ts';
import { readConfig } from '../../src/config/config.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { openDemo } from '../support/gateway/demo.ts';

describe('a key', () => {
  test('opens one session, and no second one', () => {
    const sessions = createDemoSessions();
    const key = sessions.issueKey();
    const session = sessions.exchange(key);
    expect(session && sessions.has(session)).toBe(true);
    expect(sessions.exchange(key)).toBeNull();
    expect(session && sessions.has(session)).toBe(true);
    expect(key).toMatch(/^[\w-]{43}$/);
  });

  test('opens nothing when it is unknown, older than 15 minutes, or one of another start', () => {
    let now = 0;
    const sessions = createDemoSessions({ now: () => now });
    const [early, late] = [sessions.issueKey(), sessions.issueKey()];
    now = 15 * 60_000;
    expect(sessions.exchange(early)).not.toBeNull();
    now += 1;
    for (const key of [late, createDemoSessions().issueKey(), '', '__proto__']) {
      expect(sessions.exchange(key)).toBeNull();
    }
  });

  test('and what it opened are kept in a number that nobody can raise', () => {
    const sessions = createDemoSessions();
    const keys = Array.from({ length: 101 }, () => sessions.issueKey());
    const opened = keys.map((key) => sessions.exchange(key));
    expect(opened[0]).toBeNull();
    const more = Array.from({ length: 100 }, () => sessions.exchange(sessions.issueKey()));
    expect(opened.some((session) => session && sessions.has(session))).toBe(false);
    expect(more.every((session) => session && sessions.has(session))).toBe(true);
  });

  test('is given only by a demo gateway that nobody reaches from elsewhere', () => {
    expect(hasDemoPages(readConfig({}))).toBe(true);
    const others = [
      { DEMO: 'false' },
      { PUBLIC_URL: 'https://parley.example' },
      { TRUSTED_PROXIES: '10.0.0.0/8' },
      { DATABASE_URL: 'postgres://h/d' },
    ];
    for (const env of others) expect(hasDemoPages(readConfig(env)), JSON.stringify(env)).toBe(false);
  });
});

describe('the demo owner’s token', () => {
  let gateway: Gateway;
  let server: Listening;
  let host: string;
  beforeAll(async () => {
    gateway = await openDemo();
    server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
    host = new URL(server.url).host;
  });
  afterAll(async () => {
    await server?.close(0);
    await gateway?.close();
  });

  const newKey = async () => (await gateway.services.demoSessions?.issueKey()) ?? '';

  /** Sends raw bytes, for requests that no HTTP client would send. */
  async function send(head: string, body = ''): Promise<{ status: number; head: string; body: string }> {
    const length = body ? `Content-Length: ${Buffer.byteLength(body)}\r\n` : '';
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(`${head.trim().replaceAll('\n', '\r\n')}\r\n${length}Connection: close\r\n\r\n${body}`);
    const answer = (await socket.setEncoding('utf8').toArray()).join('');
    const [before = '', after = ''] = answer.split('\r\n\r\n');
    return { status: Number(answer.split(' ')[1]), head: before, body: after };
  }

  const json = 'Content-Type: application/json';
  const asPage = () => `Host: ${host}\nOrigin: http://${host}\nSec-Fetch-Site: same-origin\n${json}`;
  const exchange = (key: string, headers = asPage()) =>
    send(`POST /demo/session HTTP/1.1\n${headers}`, JSON.stringify({ key }));
  const askToken = (cookie: string, csrfToken: string, headers = asPage()) =>
    send(`POST /demo/token HTTP/1.1\n${headers}\nCookie: ${cookie}\nX-CSRF-Token: ${csrfToken}`, '{}');

  async function open() {
    const { head, body } = await exchange(await newKey());
    const cookie = /^set-cookie: (.*)$/im.exec(head)?.[1] ?? '';
    return { head, cookie, pair: cookie.split(';')[0] ?? '', csrfToken: JSON.parse(body).csrfToken as string };
  }

  test('is given to a browser that brought a key, for its cookie and its CSRF token together', async () => {
    const { head, cookie, pair, csrfToken } = await open();
    expect(cookie).toMatch(/^parley_demo_\d+=[\w-]{43}; Max-Age=\d+; Path=\/demo; HttpOnly; SameSite=Strict$/);
    expect(head).not.toMatch(/access-control-allow/i);
    expect(head).toMatch(/^cache-control: no-store/im);
    for (const time of [1, 2]) {
      const { status, body } = await askToken(pair, csrfToken);
      expect(status, `time ${time}`).toBe(200);
      const viewer = await gateway.services.tokens.verify(JSON.parse(body).token);
      expect(viewer).toMatchObject({ workspaceId: DEMO_WORKSPACE_ID, role: 'owner' });
    }
  });

  test('is their own, with which they share a board from its page', async () => {
    const { pair, csrfToken } = await open();
    const { token } = JSON.parse((await askToken(pair, csrfToken)).body);
    const { dashboards } = await gateway.data(token, '{ dashboards(first: 1) { nodes { id } } }');
    const input = { name: 'Link', dashboardId: dashboards.nodes[0].id };
    const share = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret } }';
    const { createKey } = await gateway.data(token, share, { input });
    expect(createKey.secret).toMatch(/^pky_/);
  });

  test('is not given for a cookie alone, nor for the CSRF token alone, nor for those of two sessions', async () => {
    const [one, other] = [await open(), await open()];
    for (const [cookie, csrfToken] of [
      [one.pair, ''],
      ['', one.csrfToken],
      [one.pair, other.csrfToken],
      [one.pair, `${one.csrfToken}x`],
      ['a=b', ''],
    ] as const) {
      const { status, body } = await askToken(cookie, csrfToken);
      expect({ status, code: JSON.parse(body).code }).toEqual({ status: 401, code: 'unauthorized' });
    }
  });

  test('a key is exchanged once, and a wrong one not at all', async () => {
    const key = await newKey();
    expect((await exchange(key)).status).toBe(200);
    for (const wrong of [key, 'x', '']) {
      const { status, head, body } = await exchange(wrong);
      expect({ status, code: JSON.parse(body).code }).toEqual({ status: 403, code: 'forbidden' });
      expect(head).not.toMatch(/set-cookie/i);
    }
  });

  test('another origin, port or name of this machine gets nothing and uses up no key', async () => {
    const key = await newKey();
    const { pair, csrfToken } = await open();
    const port = host.split(':')[1];
    const foreign = [
      `Host: ${host}`,
      `Host: ${host}\nOrigin: null`,
      `Host: ${host}\nOrigin: http://evil.example`,
      `Host: ${host}\nOrigin: http://127.0.0.1:1`,
      `Host: ${host}\nOrigin: http://${host}\nSec-Fetch-Site: cross-site`,
      `Host: ${host}\nOrigin: http://${host}\nSec-Fetch-Site: same-site`,
      // DNS rebinding: the browser takes the page for same-origin.
      `Host: evil.example:${port}\nOrigin: http://evil.example:${port}\nSec-Fetch-Site: same-origin`,
    ].map((headers) => `${headers}\n${json}`);
    for (const headers of foreign) {
      expect((await exchange(key, headers)).status, headers).toBe(403);
      expect((await askToken(pair, csrfToken, headers)).status, headers).toBe(403);
    }
    expect((await exchange(key)).status).toBe(200);
  });

  test('is in no page, however a request looks: raw HTTP/1.0, a proxy’s headers, or none', async () => {
    const { pair } = await open();
    const looks = [
      `HTTP/1.0\nHost: 127.0.0.1`,
      'HTTP/1.0\nHost: localhost',
      `HTTP/1.1\nHost: ${host}`,
      `HTTP/1.1\nHost: ${host}\nSec-Fetch-Site: none`,
      `HTTP/1.1\nHost: ${host}\nSec-Fetch-Site: same-origin\nCookie: ${pair}`,
      `HTTP/1.0\nHost: ${host}\nX-Forwarded-For: 203.0.113.9`,
      `HTTP/1.0\nHost: ${host}\nX-Real-IP: 203.0.113.9\nForwarded: for=203.0.113.9`,
    ];
    for (const look of looks) {
      for (const path of ['/graphql', '/reference', '/demo/widget', '/graphiql/session.js']) {
        const { status, body } = await send(`GET ${path} ${look}\nAccept: text/html`);
        expect(status, `${path} ${look}`).toBe(200);
        expect(body).not.toMatch(/eyJ[\w-]{10,}\./);
      }
      for (const path of ['/demo/session', '/demo/token']) {
        expect((await send(`GET ${path} ${look}`)).status).toBe(405);
        expect((await send(`POST ${path} ${look}\n${json}`, '{}')).status, look).toBe(403);
      }
    }
  });

  test('no other origin may read it: a preflight is not answered with leave', async () => {
    const preflight = `Origin: http://evil.example\nAccess-Control-Request-Method: POST\nAccess-Control-Request-Headers: x-csrf-token`;
    for (const path of ['/demo/session', '/demo/token']) {
      const { head } = await send(`OPTIONS ${path} HTTP/1.1\nHost: ${host}\n${preflight}`);
      expect(head).not.toMatch(/access-control-allow/i);
    }
  });

  test.each<Record<string, string>>([
    { DEMO: 'false' },
    { DEMO: 'true', PUBLIC_URL: 'https://p.example' },
    { DEMO: 'true', TRUSTED_PROXIES: '::1' },
  ])('with %j there is no way to it', async (env) => {
    const other = await openGateway(env);
    try {
      expect(other.services.demoSessions).toBeNull();
      for (const path of ['/demo/session', '/demo/token']) {
        const headers = { host, origin: `http://${host}`, 'content-type': 'application/json' };
        expect((await other.app.request(path, { method: 'POST', headers, body: '{}' })).status).toBe(404);
      }
      const page = await other.app.request('/graphql', { headers: { accept: 'text/html' } });
      expect(await page.text()).toContain('npm run --silent token');
    } finally {
      await other.close();
    }
  });
});
