import { DEMO_WORKSPACE_ID } from '../auth/demo.ts';
import type { Services } from '../context.ts';
import { notFoundResponse } from '../http/errors.ts';
import { escapeHtml, linksFrom, pageLinks, pageResponse } from '../http/pages/page.ts';

/**
 * GET /demo/widget: a page that embeds a widget of the demo workspace with one script tag; `?channel=` picks the
 * channel.
 */
export async function demoPage({ config, database }: Services, chosen: string | undefined): Promise<Response> {
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
