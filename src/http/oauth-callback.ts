import { Hono } from 'hono';
import { completeAuthorization } from '../domain/plugin-authorization.ts';
import type { Services } from '../services.ts';
import { escapeHtml } from './page.ts';

/** Where the browser of a user comes back to after they authorized a plugin: takes the token and says what came of it. */
export function createOAuthCallback(services: Services): Hono {
  const app = new Hono();
  app.get('/oauth/callback/:pluginId', async (c) => {
    const parameters = new URL(c.req.url).searchParams;
    const { granted, message } = await completeAuthorization(services, c.req.param('pluginId'), parameters);
    const title = granted ? 'Authorized' : 'Not authorized';
    return c.html(pageOf(title, `${message} You may close this window.`), granted ? 200 : 400);
  });
  return app;
}

/** A page without a script or a style, so that nothing has to be allowed. */
const pageOf = (title: string, message: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
  </head>
  <body>
    <h1>${escapeHtml(title)}</h1>
    <p>${escapeHtml(message)}</p>
  </body>
</html>
`;
