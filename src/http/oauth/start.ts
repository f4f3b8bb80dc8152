import { type Context, Hono } from 'hono';
import { createNonce, isNonce } from '../../auth/browser-binding.ts';
import { addressOf } from '../../config/config.ts';
import type { Services } from '../../context.ts';
import { methodNotAllowed } from '../../core/errors.ts';
import { bindTo, findStart, isFreeFor, reasons, type Start } from '../../domain/plugins/start.ts';
import { escapeHtml, textPage } from '../pages/page.ts';
import { createNonceCookies } from './nonce-cookies.ts';

/**
 * Where a user starts to authorize a plugin. GET describes the authorization and sets a nonce cookie; POST, which only
 * the button on that page can send, binds the authorization to the browser with that nonce and redirects to the
 * plugin's authorization server. Starting it elsewhere and sending that server's URL to a victim is useless: the
 * callback requires the nonce.
 */
export function createOAuthStart(services: Services): Hono {
  const ownOrigin = new URL(addressOf(services.config)).origin;
  const cookies = createNonceCookies(services.config);
  const app = new Hono();
  app.get('/oauth/start', async (c) => {
    const start = await findStart(services, c.req.query('ticket') ?? '');
    if ('refused' in start) return refusal(c, start.refused);
    const knownNonce = cookies.read(c, start.key);
    if (!isFreeFor(start, knownNonce)) return refusal(c, reasons.otherBrowser);
    const { expiresAt: expires } = start.grant;
    cookies.write(c, start.key, { nonce: isNonce(knownNonce) ? knownNonce : createNonce(), expires });
    return c.html(textPage(startPage(start)), 200, headers);
  });
  app.post('/oauth/start', async (c) => {
    if (!isSameOrigin(c, ownOrigin)) return refusal(c, crossSite, 403);
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

const crossSite = 'Only the authorization page of this service can continue. Open its address again.';
const noCookie =
  'This browser did not store the cookie of this page. Allow cookies for this site and open the address again.';

/**
 * `form-action` also applies to redirects after the form, and the authorization server may redirect to another site to
 * sign in. With the policy `no-referrer`, browsers would send `Origin: null`.
 */
const headers = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action http: https:; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
};

/** Browsers send Origin with each POST, and newer ones Sec-Fetch-Site too. */
const isSameOrigin = (c: Context, ownOrigin: string): boolean =>
  c.req.header('origin') === ownOrigin && (c.req.header('sec-fetch-site') ?? 'same-origin') === 'same-origin';

const refusal = (c: Context, message: string, status: 400 | 403 = 400) =>
  c.html(textPage({ title: 'Not authorized', body: `<p>${escapeHtml(message)}</p>` }), status);

/** Names come from the tenant: each is escaped and isolated. The form posts to the page's own URL. */
function startPage({ pluginName, agentName, workspaceName, starter, url }: Start): { title: string; body: string } {
  const [plugin, agent, workspace, who] = [pluginName, agentName, workspaceName, starter].map(
    (name) => `<strong><bdi>${escapeHtml(name)}</bdi></strong>`,
  );
  const server = `<strong>${escapeHtml(new URL(url).host)}</strong>`;
  const body = `<p>${who} started this in the workspace ${workspace}: the agent ${agent} will call the plugin ${plugin} with
            your account.</p>
    <p>You continue to ${server}, where you sign in and decide. Anyone who writes to the agent can use the access you grant there.</p>
    <p>Continue only if you started this yourself, or know and trust the person who did.</p>
    <form method="post"><button type="submit">Continue</button></form>`;
  return { title: 'Authorize a plugin', body };
}
