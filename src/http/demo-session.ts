import { isIP } from 'node:net';
import { type Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { DemoSessions } from '../auth/demo-sessions.ts';
import { forbidden, methodNotAllowed, unauthorized } from '../core/errors.ts';
import { readJson } from './body.ts';

type Options = {
  sessions: DemoSessions;
  /** HOST, by which a browser may know the gateway besides the names of this machine. */
  host: string;
  /** A fresh token of the demo workspace's owner. */
  issueToken: () => Promise<string>;
};

const keyShape = z.object({ key: z.string().max(100) });
/** A year: the gateway forgets its sessions when it ends, which is sooner. */
const maxAge = 31_536_000;

/**
 * How a page of ours gets the demo owner's token. POST /demo/session exchanges the key of the address for a cookie and a
 * CSRF token; POST /demo/token gives a token for both. Cookies are shared by all ports of a host and are sent to whoever
 * listens on another one, so the cookie alone gives nothing.
 */
export function createDemoSession({ sessions, host, issueToken }: Options): Hono {
  const app = new Hono();
  app.post('/demo/session', async (c) => {
    requireSameOrigin(c, host);
    const given = keyShape.safeParse(await readJson(c.req.raw, 1_000));
    const session = given.success ? sessions.exchange(given.data.key) : null;
    if (!session) throw forbidden('The key was used before, is too old, or is not one of this gateway.');
    setCookie(c, cookieName(c), session.id, { path: '/demo', httpOnly: true, sameSite: 'Strict', maxAge });
    return c.json({ csrfToken: session.csrfToken });
  });
  app.post('/demo/token', async (c) => {
    requireSameOrigin(c, host);
    const id = getCookie(c, cookieName(c)) ?? '';
    const csrfToken = c.req.header('x-csrf-token') ?? '';
    if (!sessions.has({ id, csrfToken })) throw unauthorized('This browser has no session here.');
    return c.json({ token: await issueToken() });
  });
  app.on('ALL', ['/demo/session', '/demo/token'], () => {
    throw methodNotAllowed('POST');
  });
  return app;
}

/** Gateways on several ports of a host share its cookies. */
const cookieName = (c: Context) => `parley_demo_${portOf(c)}`;
const portOf = (c: Context) => new URL(`http://${c.req.header('host') ?? ''}`).port || '80';

/**
 * Throws 403 unless a page of this very origin asks, under a name that nobody else can point here: browsers send Origin
 * with every POST, and a name that was rebound to this machine is neither an address nor localhost.
 */
function requireSameOrigin(c: Context, host: string): void {
  const named = URL.parse(`http://${c.req.header('host') ?? ''}`);
  const origin = URL.parse(c.req.header('origin') ?? '');
  const site = c.req.header('sec-fetch-site') ?? 'same-origin';
  if (!named || !isOwnName(named.hostname, host) || origin?.host !== named.host || site !== 'same-origin') {
    throw forbidden('Only a page of this gateway may ask for this.');
  }
}

function isOwnName(name: string, host: string): boolean {
  return name === 'localhost' || name === host.toLowerCase() || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}
