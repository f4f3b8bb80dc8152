import { Hono } from 'hono';
import { hashOf } from '../../auth/browser-binding.ts';
import type { Services } from '../../context.ts';
import { completeAuthorization } from '../../domain/plugins/authorization.ts';
import { keyOf } from '../../domain/plugins/start.ts';
import { escapeHtml, textPage } from '../pages/page.ts';
import { createNonceCookies } from './nonce-cookies.ts';

/** Where the user's browser returns after authorizing a plugin: stores the token and shows the outcome. */
export function createOAuthCallback(services: Services): Hono {
  const cookies = createNonceCookies(services.config);
  const app = new Hono();
  app.get('/oauth/callback/:pluginId', async (c) => {
    const parameters = new URL(c.req.url).searchParams;
    const key = keyOf(hashOf(parameters.get('state') ?? ''));
    const { granted, message } = await completeAuthorization(services, {
      pluginId: c.req.param('pluginId'),
      parameters,
      nonce: cookies.read(c, key),
    });
    const title = granted ? 'Authorized' : 'Not authorized';
    const body = `<p>${escapeHtml(message)} You can close this window.</p>`;
    return c.html(textPage({ title, body }), granted ? 200 : 400);
  });
  return app;
}
