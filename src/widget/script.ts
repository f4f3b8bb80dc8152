import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import { serveAssets } from '../http/pages/assets.ts';

const serveScript = serveAssets({
  'widget.js': {
    type: 'text/javascript; charset=utf-8',
    load: () => readFile(new URL('generated/widget.js', import.meta.url)),
  },
});

/** Serves `/widget.js`, which pages embed: everything that runs there, as one file. It is read on first request. */
export function createWidgetScript(): Hono {
  const app = new Hono();
  app.get('/widget.js', async (c) => {
    const response = await serveScript(c.req.raw, 'widget.js');
    // Pages of any origin may load it, including cross-origin isolated ones.
    response.headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
    response.headers.set('Cache-Control', 'public, max-age=300');
    return response;
  });
  return app;
}
