import { Hono } from 'hono';
import { acceptsPage } from '../accepted.ts';
import { createDocs } from './docs/docs.ts';
import { exampleGroups } from './examples/example-operations.ts';
import { graphiqlAsset, graphiqlPage } from './graphiql.ts';
import {
  barMark,
  escapeHtml,
  linksFrom,
  type PageLinks,
  pageLinks,
  pageResponse,
  type SignIn,
  signInOf,
} from './page.ts';
import { referenceAsset, referencePage } from './reference.ts';

type Options = {
  /** Builds the OpenAPI description of the REST layer, on first request. */
  describe: () => object;
  /** Whether a page may get a token from /demo/session. */
  session: boolean;
  /** Whether an identity provider issues tokens for the gateway. */
  outside: boolean;
  /** Whether GraphiQL may show the SQL of operations. */
  sql: boolean;
  /** Returns the id of an agent that the holder of such a token can chat with, or null. */
  exampleAgent: () => Promise<string | null>;
};

/**
 * The pages for people: GraphiQL at /graphql, the REST reference at /reference with the description that it renders,
 * and the documentation at /docs. Every reference in them is relative, so that they work below a path too, where a
 * proxy strips it.
 */
export function createPages({ describe, session, outside, sql, exampleAgent }: Options): Hono {
  const app = new Hono();
  const signIn = signInOf(session, outside);
  let json: string | undefined;
  app.get('/', (c) => c.redirect('graphql'));
  app.get('/graphql', async (c, next) => {
    if (!acceptsPage(c.req.header('accept'))) return next();
    const agentId = await exampleAgent().catch(() => null);
    const examples = exampleGroups(new Date(), agentId);
    return graphiqlPage({
      endpoint: 'graphql',
      examples,
      first: 'Overview',
      signIn,
      sql,
      links: linksFrom(session, 'GraphiQL'),
    });
  });
  app.get('/graphiql/panels/:name{.+}', (c) => graphiqlAsset(c.req.raw, `panels/${c.req.param('name')}`));
  app.get('/graphiql/:name', (c) => graphiqlAsset(c.req.raw, c.req.param('name')));
  app.route('/', createDocs({ links: linksFrom(session, 'Docs') }));
  const ofBoards = linksFrom(session, 'Dashboards');
  app.get('/dashboards', () => boardsPage({ name: null, signIn, links: ofBoards }));
  app.get('/dashboards/', (c) => c.redirect('../dashboards'));
  app.get('/dashboards/:name{[a-z][a-z0-9_-]*}', (c) =>
    boardsPage({ name: c.req.param('name'), signIn, links: ofBoards }),
  );
  app.get('/reference', () =>
    referencePage({ description: 'openapi.json', signIn, links: linksFrom(session, 'Reference') }),
  );
  app.get('/reference/:name', (c) => referenceAsset(c.req.raw, c.req.param('name')));
  app.get(
    '/openapi.json',
    () => new Response((json ??= JSON.stringify(describe())), { headers: { 'content-type': 'application/json' } }),
  );
  return app;
}

type BoardsOptions = {
  /** The board's name or ID; null for the list of boards. */
  name: string | null;
  signIn: SignIn;
  /** Links to other pages, by their path from the root of the gateway. */
  links: PageLinks;
};

/** The page of a board, or of all. Its scripts read what the signed-in person may see; the page itself has no data. */
function boardsPage({ name, signIn, links }: BoardsOptions): Response {
  const root = name === null ? '' : '../';
  const of = (file: string) => `${root}graphiql/${file}`;
  return pageResponse({
    title: 'Dashboards · Parley',
    styles: [of('boards.css')],
    scripts: ['session', 'token', 'boards'].map((script) => of(`${script}.js`)),
    options: { ...signIn, endpoint: `${root}graphql`, root, name, byLink: name !== null },
    header: `<a class="skip" href="#content">Skip to the content</a>
    <header id="bar">
      <a class="home" href="${escapeHtml(root)}dashboards">${barMark}Parley</a>
      ${pageLinks(links, root)}
    </header>`,
    body: `<main id="content" tabindex="-1"><h1${name === null ? '' : ' class="waiting"'}>Dashboards</h1></main>`,
  });
}
