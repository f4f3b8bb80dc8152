import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import { serveAssets } from './assets.ts';
import { exampleOperations } from './examples/example-operations.ts';
import { graphiqlAsset, graphiqlPage } from './graphiql.ts';
import { referenceAsset, referencePage } from './reference.ts';

type Options = {
  /** Builds the OpenAPI description of the REST layer, on first request. */
  describe: () => object;
  /** Whether a page may get a token from /demo/session. */
  session: boolean;
  /** Whether GraphiQL may show the SQL of operations. */
  sql: boolean;
  /** Returns the id of an agent that the holder of such a token can chat with, or null. */
  exampleAgent: () => Promise<string | null>;
};

/** The Markdown documentation that the pages link to. */
const documentAsset = serveAssets({
  'dashboards.md': {
    type: 'text/plain; charset=utf-8',
    load: () => readFile(new URL('../../../docs/dashboards.md', import.meta.url)),
  },
});

/**
 * The pages for people: GraphiQL at /graphql, the REST reference at /reference, and the description that it renders.
 */
export function createPages({ describe, session, sql, exampleAgent }: Options): Hono {
  const app = new Hono();
  let json: string | undefined;
  app.get('/', (c) => c.redirect('/graphql'));
  app.get('/graphql', async (c, next) => {
    if (!(c.req.header('accept') ?? '').includes('text/html')) return next();
    const agentId = await exampleAgent().catch(() => null);
    const links: [string, string][] = [
      ['REST reference', '/reference'],
      ['Dashboards', '/docs/dashboards.md'],
      ...(session ? [['Widget', '/demo/widget'] satisfies [string, string]] : []),
    ];
    return graphiqlPage({ endpoint: '/graphql', tabs: exampleOperations(new Date(), agentId), session, sql, links });
  });
  app.get('/graphiql/panels/:name', (c) => graphiqlAsset(c.req.raw, `panels/${c.req.param('name')}`));
  app.get('/graphiql/:name', (c) => graphiqlAsset(c.req.raw, c.req.param('name')));
  app.get('/docs/:name', (c) => documentAsset(c.req.raw, c.req.param('name')));
  app.get('/reference', () => referencePage({ description: '/openapi.json', session }));
  app.get('/reference/:name', (c) => referenceAsset(c.req.raw, c.req.param('name')));
  app.get(
    '/openapi.json',
    () => new Response((json ??= JSON.stringify(describe())), { headers: { 'content-type': 'application/json' } }),
  );
  return app;
}
