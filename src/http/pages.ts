import { Hono } from 'hono';
import { exampleOperations } from './example-operations.ts';
import { graphiqlAsset, graphiqlPage } from './graphiql.ts';
import { openedOnLoopback } from './loopback.ts';
import { referenceAsset, referencePage } from './reference.ts';

type Options = {
  /** Makes the OpenAPI description of the REST layer, when it is first asked for. */
  describe: () => object;
  /** A token for a page that is opened on this very machine, in demo mode; null otherwise. */
  demoToken: () => Promise<string | undefined>;
};

/** The pages for people: GraphiQL at /graphql, the REST reference at /reference, and the description that it draws. */
export function createPages({ describe, demoToken }: Options): Hono {
  const app = new Hono();
  let json: string | undefined;
  app.get('/', (c) => c.redirect('/graphql'));
  app.get('/graphql', async (c, next) => {
    if (!(c.req.header('accept') ?? '').includes('text/html') || c.req.query('query')) return next();
    const token = openedOnLoopback(c) ? await demoToken() : undefined;
    return graphiqlPage({ endpoint: '/graphql', tabs: exampleOperations(new Date()), token });
  });
  app.get('/graphiql/:name', (c) => graphiqlAsset(c.req.raw, c.req.param('name')));
  app.get('/reference', async (c) => {
    const token = openedOnLoopback(c) ? await demoToken() : undefined;
    return referencePage({ description: '/openapi.json', token });
  });
  app.get('/reference/:name', (c) => referenceAsset(c.req.raw, c.req.param('name')));
  app.get(
    '/openapi.json',
    () => new Response((json ??= JSON.stringify(describe())), { headers: { 'content-type': 'application/json' } }),
  );
  return app;
}
