import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { forbidden, invalid } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { isOwnerWithOwnToken } from '../core/permissions.ts';
import { checkValue } from '../core/validation.ts';
import type { Viewer } from '../core/viewer.ts';
import { readJson } from './body.ts';
import type { HttpVariables } from './log/request-log.ts';

type HttpContext = Context<{ Variables: HttpVariables }>;
type Options = {
  authenticate: (c: HttpContext) => Promise<Viewer>;
  /** Shows the SQL of an operation. */
  explain: (operation: z.output<typeof operationBody>, viewer: Viewer) => Promise<object>;
};

const operationBody = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/**
 * POST /graphiql/sql: the SQL of an operation and its plan, for owners. Only served where EXPLAIN_SQL is on. Everybody
 * else gets 403 `forbidden`: keys and apps too, even those of an owner, since they may be used by others.
 */
export function createSqlEndpoint({ authenticate, explain }: Options): Hono<{ Variables: HttpVariables }> {
  const app = new Hono<{ Variables: HttpVariables }>();
  app.post('/graphiql/sql', async (c) => {
    const viewer = await authenticate(c);
    if (!isOwnerWithOwnToken(viewer))
      throw forbidden('Only owners with their own token may see the SQL of an operation.');
    const { data, issues } = checkValue(operationBody, await readJson(c.req.raw, limits.body), 'body');
    if (issues) throw invalid(issues);
    return c.json(await explain(data as z.output<typeof operationBody>, viewer));
  });
  return app;
}
