import { Hono } from 'hono';
import { pageScript, pageStyle, serveAssets } from './assets.ts';
import { pageResponse } from './page.ts';

const asset = serveAssets({
  'start.js': pageScript('invitation-start.js'),
  'page.css': pageStyle('base.css', 'invitation-page.css'),
});

/**
 * The page behind an invitation link. The secret is in the fragment, which browsers never send to a server: the script
 * passes it to GraphQL. Opening the page accepts nothing, since mail filters and chat apps open links too.
 */
export function createInvitationPage(): Hono {
  const app = new Hono();
  app.get('/invitation', () =>
    pageResponse({
      title: 'Invitation',
      styles: ['invitation/page.css'],
      scripts: ['invitation/start.js'],
      options: {},
      body: `<main>
      <h1>Invitation</h1>
      <p id="message" role="status">One moment…</p>
      <p id="hint" hidden></p>
      <p id="answers" hidden></p>
    </main>`,
    }),
  );
  app.get('/invitation/:name', (c) => asset(c.req.raw, c.req.param('name')));
  return app;
}
