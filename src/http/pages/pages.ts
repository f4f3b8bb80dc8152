import { Hono } from 'hono';
import { exampleOperations } from './examples/example-operations.ts';
import { graphiqlAsset, graphiqlPage } from './graphiql.ts';
import { referenceAsset, referencePage } from './reference.ts';

type Options = {
  /** Builds the OpenAPI description of the REST layer, on first request. */
  describe: () => object;
  /** Whether a page may get a token from /demo/session. */
  session: boolean;
  /** Returns the id of an agent to chat with for whoever gets a token there, or null. */
  exampleAgent: () => Promise<string | null>;
};

/**
 * The pages for people: GraphiQL at /graphql, the REST reference at /reference, and the description that it renders.
 */
export function createPages({ describe, session, exampleAgent }: Options): Hono {
  const app = new Hono();
  let json: string | undefined;
  app.get('/', (c) => c.redirect('/graphql'));
  app.get('/graphql', async (c, next) => {
    if (!(c.req.header('accept') ?? '').includes('text/html') || c.req.query('query')) return next();
    const agentId = await exampleAgent().catch(() => null);
    return graphiqlPage({ endpoint: '/graphql', tabs: exampleOperations(new Date(), agentId), session });
  });
  app.get('/graphiql/:name', (c) => graphiqlAsset(c.req.raw, c.req.param('name')));
  app.get('/reference', () => referencePage({ description: '/openapi.json', session }));
  app.get('/reference/:name', (c) => referenceAsset(c.req.raw, c.req.param('name')));
  app.get(
    '/openapi.json',
    () => new Response((json ??= JSON.stringify(describe())), { headers: { 'content-type': 'application/json' } }),
  );
  return app;
}
