import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import type { Services } from '../context.ts';
import type { HttpVariables } from '../http/log/request-log.ts';
import { serveAssets } from '../http/pages/assets.ts';
import { demoPage } from './demo.ts';
import { createWidgetEndpoints } from './endpoints.ts';

/** Everything of the widget: the embedded script, its endpoints, and a demo page. */
export function createWidget(services: Services): Hono<{ Variables: HttpVariables }> {
  const app = new Hono<{ Variables: HttpVariables }>();
  app.get('/demo/widget', (c) => demoPage(services, c.req.query('channel')));
  app.get('/widget.js', async (c) => {
    const response = await serveScript(c.req.raw, 'widget.js');
    // Pages of any origin may load it, including cross-origin isolated ones.
    response.headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
    response.headers.set('Cache-Control', 'public, max-age=300');
    return response;
  });
  app.route('/', createWidgetEndpoints(services));
  return app;
}

/** What pages embed: everything that runs there, as one file. It is read on first request. */
const serveScript = serveAssets({
  'widget.js': {
    type: 'text/javascript; charset=utf-8',
    load: () => readFile(new URL('generated/widget.js', import.meta.url)),
  },
});
