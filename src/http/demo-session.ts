import { type Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { DemoSessions } from '../auth/demo-sessions.ts';
import { forbidden, methodNotAllowed, unauthorized } from '../core/errors.ts';
import { isOwnName } from '../core/host-header.ts';
import { readJson } from './body.ts';

type Options = {
  sessions: DemoSessions;
  /** HOST: a name under which browsers may reach the gateway, besides the machine's own. */
  host: string;
  /** Issues a fresh token for the owner of the demo workspace. */
  issueToken: () => Promise<string>;
};

const keyShape = z.object({ key: z.string().max(100) });
/** One year in seconds. Sessions live in memory and end with the process, which is sooner. */
const maxAge = 31_536_000;

/**
 * Issues the demo owner's token to our own pages. POST /demo/session exchanges the key from the page's URL for a cookie
 * and a CSRF token; POST /demo/token returns a token for the two. Cookies are shared by all ports of a host and sent to
 * whatever listens there, so the cookie alone is worth nothing.
 */
export function createDemoSession({ sessions, host, issueToken }: Options): Hono {
  const app = new Hono();
  app.post('/demo/session', async (c) => {
    requireSameOrigin(c, host);
    const parsed = keyShape.safeParse(await readJson(c.req.raw, 1_000));
    const session = parsed.success ? await sessions.exchange(parsed.data.key) : null;
    if (!session)
      throw forbidden(
        'The sign-in key was already used, has expired, or is not from this gateway. Get a new one: npm run --silent open',
      );
    setCookie(c, cookieName(c), session.id, { path: '/demo', httpOnly: true, sameSite: 'Strict', maxAge });
    return c.json({ csrfToken: session.csrfToken });
  });
  app.post('/demo/token', async (c) => {
    requireSameOrigin(c, host);
    const id = getCookie(c, cookieName(c)) ?? '';
    const csrfToken = c.req.header('x-csrf-token') ?? '';
    if (!(await sessions.has({ id, csrfToken })))
      throw unauthorized(
        'This browser is not signed in, or its session has ended: sign in with the address of npm run --silent open.',
      );
    return c.json({ token: await issueToken() });
  });
  app.on('ALL', ['/demo/session', '/demo/token'], () => {
    throw methodNotAllowed('POST');
  });
  return app;
}

/** Gateways on several ports of one host share its cookies, hence a name per port. */
const cookieName = (c: Context) => `parley_demo_${portOf(c)}`;
const portOf = (c: Context) => new URL(`http://${c.req.header('host') ?? ''}`).port || '80';

/**
 * Throws 403 unless the request comes from a page of this very origin, under a name that nobody else can point here:
 * browsers send Origin with every POST, and a name rebound to this machine (DNS rebinding) is neither an IP address nor
 * localhost.
 */
function requireSameOrigin(c: Context, host: string): void {
  const named = URL.parse(`http://${c.req.header('host') ?? ''}`);
  const origin = URL.parse(c.req.header('origin') ?? '');
  const site = c.req.header('sec-fetch-site') ?? 'same-origin';
  if (!named || !isOwnName(named.hostname, host) || origin?.host !== named.host || site !== 'same-origin') {
    throw forbidden('Only pages of this gateway may request this.');
  }
}
