import { type DocumentNode, GraphQLError } from 'graphql';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { invalid } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { checkValue } from '../../core/validation.ts';
import type { Viewer } from '../../core/viewer.ts';
import { checkLength, parseDocument } from '../../graphql/documents/document.ts';
import { readJson } from '../../http/body.ts';
import type { HttpVariables } from '../../http/log/request-log.ts';
import type { Route } from '../route.ts';
import { createToOperation, written } from './to-operation.ts';
import { requestOf } from './to-request.ts';

type HttpContext = Context<{ Variables: HttpVariables }>;
type Dependencies = { authenticate: (c: HttpContext) => Promise<Viewer> };

const restRequest = z.object({
  method: z.string().max(10),
  /** As long as one that is sent may be. */
  url: z.string().max(16_000),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(''),
});
const graphqlRequest = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/**
 * POST /graphiql/rest/operation: the GraphQL operation that a REST request runs. POST /graphiql/rest/request: the REST
 * request that an operation equals. Both check the bearer, and neither runs anything or reads a row.
 */
export function createTranslation(routes: Route[], { authenticate }: Dependencies): Hono<{ Variables: HttpVariables }> {
  const app = new Hono<{ Variables: HttpVariables }>();
  const toOperation = createToOperation(routes);
  app.post('/graphiql/rest/operation', async (c) => {
    const viewer = await authenticate(c);
    const request = checked(restRequest, await readJson(c.req.raw, limits.contentBody));
    const found = await toOperation(request, viewer);
    if (!found) return c.json({ none: `No REST operation has ${request.method.toUpperCase()} and this path.` });
    const { id, summary } = found.route;
    return c.json({ id, summary, warnings: found.warnings, ...written(found) });
  });
  app.post('/graphiql/rest/request', async (c) => {
    const viewer = await authenticate(c);
    const { query, variables, operationName } = checked(graphqlRequest, await readJson(c.req.raw, limits.body));
    checkLength(query);
    const asked = { document: parsed(query), operationName, variables: variables ?? {} };
    const found = await requestOf(routes, toOperation, asked, viewer);
    if ('none' in found) return c.json(found);
    const { id, summary } = found.route;
    return c.json({ id, summary, ...found.request });
  });
  return app;
}

function checked<Shape extends z.ZodType>(schema: Shape, value: unknown): z.output<Shape> {
  const { data, issues } = checkValue(schema, value, 'body');
  if (issues) throw invalid(issues);
  return data as z.output<Shape>;
}

function parsed(query: string): DocumentNode {
  try {
    return parseDocument(query);
  } catch (error) {
    throw error instanceof GraphQLError ? invalid(error.message) : error;
  }
}
