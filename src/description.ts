import { describedRules } from './domain/described-rules.ts';
import { describeRoutes } from './rest/openapi.ts';
import { routes } from './rest/routes.ts';

/** The OpenAPI description of the REST layer, with the limits that the domain holds. */
export const describeRest = (publicUrl: string | null = null): object =>
  describeRoutes(routes, { rules: describedRules, publicUrl });
