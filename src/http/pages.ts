import { Hono } from 'hono';
import { exampleOperations } from './examples/example-operations.ts';
import { graphiqlAsset, graphiqlPage } from './graphiql.ts';
import { referenceAsset, referencePage } from './reference.ts';

type Options = {
  /** Makes the OpenAPI description of the REST layer, when it is first asked for. */
  describe: () => object;
  /** Whether a page may ask for a token by /demo/session. */
  session: boolean;
  /** The id of an agent that whoever gets a token there may ask; null where there is none. */
  exampleAgent: () => Promise<string | null>;
};

/** The pages for people: GraphiQL at /graphql, the REST reference at /reference, and the description that it draws. */
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
