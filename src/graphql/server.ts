import type { GraphQLSchema } from 'graphql';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { limits } from '../auth/limits.ts';
import type { Context, Viewer } from '../context.ts';
import { ParleyError } from '../errors.ts';
import type { HttpVariables } from '../http/request-log.ts';
import { serve } from '../lane/http.ts';
import type { Lane } from '../lane/lane.ts';
import type { Services } from '../services.ts';
import { createEndpoint } from './endpoint.ts';
import { failureOf } from './failure.ts';

type Authenticate = (request: Request) => Promise<Viewer>;

/** /graphql for programs: a bearer, a body within the limits, and every failure in GraphQL's own shape. */
export function createGraphQL(
  schema: GraphQLSchema,
  services: Services,
  authenticate: Authenticate,
  lane: Lane | null,
) {
  const endpoint = createEndpoint(schema, services);
  const app = new Hono<{ Variables: HttpVariables }>();
  const onError = () => {
    throw new ParleyError('payload_too_large', `The body is larger than ${limits.contentBody / 1_000_000} MB.`);
  };
  app.use('/graphql', bodyLimit({ maxSize: limits.contentBody, onError }));
  app.on(['GET', 'POST'], '/graphql', async (c) => {
    const viewer = await authenticate(c.req.raw);
    c.set('workspaceId', viewer.workspaceId);
    const context: Context = { ...services, viewer };
    const asked = lane ? await serve(lane, c.req.raw, context) : c.req.raw;
    return asked instanceof Response ? asked : endpoint.fetch(asked, context);
  });
  app.all('/graphql', () => {
    const allow = 'GET, POST, OPTIONS';
    throw new ParleyError('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } });
  });
  app.onError((error, c) => {
    const { message, status, headers, code, issues } = failureOf(error, c.get('log') ?? services.log);
    return Response.json(
      { errors: [{ message, extensions: { code, ...(issues && { issues }) } }] },
      { status, headers },
    );
  });
  return app;
}
