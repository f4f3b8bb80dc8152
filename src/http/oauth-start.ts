import { type Context, Hono } from 'hono';
import { isNonce, newNonce } from '../auth/browser-binding.ts';
import { addressOf } from '../config/config.ts';
import type { Services } from '../context.ts';
import { methodNotAllowed } from '../core/errors.ts';
import { bindTo, findStart, isFreeFor, reasons, type Start } from '../domain/plugins/start.ts';
import { createNonceCookies } from './nonce-cookies.ts';
import { escapeHtml, textPage } from './page.ts';

/**
 * Where a user begins to authorize a plugin. GET says what for and gives the browser a nonce; POST, by the button of that
 * page alone, binds the authorization to the browser with that nonce and sends it on to the server of the plugin. Whoever
 * began it elsewhere and sends the server's address to somebody else gets nothing: the callback asks for the nonce.
 */
export function createOAuthStart(services: Services): Hono {
  const own = new URL(addressOf(services.config)).origin;
  const cookies = createNonceCookies(services.config);
  const app = new Hono();
  app.get('/oauth/start', async (c) => {
    const start = await findStart(services, c.req.query('ticket') ?? '');
    if ('refused' in start) return refusal(c, start.refused);
    const known = cookies.read(c, start.key);
    if (!isFreeFor(start, known)) return refusal(c, reasons.otherBrowser);
    const { expiresAt: expires } = start.grant;
    cookies.write(c, start.key, { nonce: isNonce(known) ? known : newNonce(), expires });
    return c.html(textPage(startPage(start)), 200, headers);
  });
  app.post('/oauth/start', async (c) => {
    if (!isSameOrigin(c, own)) return refusal(c, crossSite, 403);
    const start = await findStart(services, c.req.query('ticket') ?? '');
    if ('refused' in start) return refusal(c, start.refused);
    const nonce = cookies.read(c, start.key);
    if (!isFreeFor(start, nonce)) return refusal(c, reasons.otherBrowser);
    if (!isNonce(nonce)) return refusal(c, noCookie);
    return (await bindTo(services, start, nonce)) ? c.redirect(start.url, 303) : refusal(c, reasons.otherBrowser);
  });
  app.on('ALL', '/oauth/start', () => {
    throw methodNotAllowed('GET, HEAD, POST');
  });
  return app;
}

const crossSite = 'Only the page of this service that names the plugin may go on. Open its address again.';
const noCookie = 'This browser kept no cookie of this page. Allow cookies for this site, and open its address again.';

/**
 * `form-action` holds for redirects after the form too, and the server may send on to a site of its own for signing in.
 * A browser sends `Origin: null` from a page whose referrers are none at all.
 */
const headers = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action http: https:; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
};

/** Browsers say the origin of each POST, and newer ones how it is related to this one. */
const isSameOrigin = (c: Context, own: string): boolean =>
  c.req.header('origin') === own && (c.req.header('sec-fetch-site') ?? 'same-origin') === 'same-origin';

const refusal = (c: Context, message: string, status: 400 | 403 = 400) =>
  c.html(textPage({ title: 'Not authorized', body: `<p>${escapeHtml(message)}</p>` }), status);

/** Names are the tenant's: each stands apart, whatever it holds. The form goes to the address of the page. */
function startPage({ pluginName, agentName, workspaceName, starter, url }: Start): { title: string; body: string } {
  const [plugin, agent, workspace, who] = [pluginName, agentName, workspaceName, starter].map(
    (name) => `<strong><bdi>${escapeHtml(name)}</bdi></strong>`,
  );
  const server = `<strong>${escapeHtml(new URL(url).host)}</strong>`;
  const body = `<p>${who} began this in the workspace ${workspace}: the agent ${agent} is to call the plugin ${plugin} with
      an account of yours.</p>
    <p>You go on to ${server}, where you sign in and decide. Whoever writes to the agent can use what you allow there.</p>
    <p>Go on only if you began this yourself, or know who did and want it.</p>
    <form method="post"><button type="submit">Go on</button></form>`;
  return { title: 'Authorize a plugin', body };
}
