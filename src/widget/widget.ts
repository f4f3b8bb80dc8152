import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import { DEMO_WORKSPACE_ID } from '../auth/demo.ts';
import type { Services } from '../context.ts';
import { notFoundResponse } from '../http/errors.ts';
import type { HttpVariables } from '../http/log/request-log.ts';
import { serveAssets } from '../http/pages/assets.ts';
import { escapeHtml, linksFrom, pageLinks, pageResponse } from '../http/pages/page.ts';
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

/**
 * GET /demo/widget: a page that embeds a widget of the demo workspace with one script tag; `?channel=` picks the
 * channel.
 */
async function demoPage({ config, database }: Services, chosen: string | undefined): Promise<Response> {
  const path = '/demo/widget';
  if (!config.demo) return notFoundResponse(path);
  const channels = await database.channel.findMany({
    where: { workspaceId: DEMO_WORKSPACE_ID, platform: 'widget', removedAt: null, agent: { status: 'active' } },
    include: { agent: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const channel = channels.find(({ publishableToken }) => publishableToken === chosen) ?? channels[0];
  if (!channel) return notFoundResponse(path);
  const links = channels.map(({ publishableToken, agent }) => {
    const current = publishableToken === channel.publishableToken ? ' aria-current="page"' : '';
    return `<a href="?channel=${publishableToken}"${current}>${escapeHtml(agent.name)}</a>`;
  });
  const source = `../widget.js?channel=${channel.publishableToken}`;
  const look = 'font: 17px/1.6 system-ui, sans-serif; background: Canvas; color: CanvasText';
  const body = `<main style="${look}; max-width: 42rem; margin: 4rem auto; padding: 0 1rem">
      <h1>Aurora Outdoor</h1>
      <p>A page that embeds ${escapeHtml(channel.agent.name)} with one tag:</p>
      <pre style="white-space: pre-wrap; overflow-wrap: anywhere">${escapeHtml(`<script async src="${source}"></script>`)}</pre>
      <nav aria-label="Agents">${links.join(' · ')}</nav>
      <p>This gateway:</p>
      ${pageLinks(linksFrom(false), '../')}
    </main>`;
  return pageResponse({ title: 'Aurora Outdoor', styles: [], scripts: [source], options: {}, body });
}
