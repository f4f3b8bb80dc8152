import { describedRules } from './domain/described-rules.ts';
import { describeRoutes } from './rest/openapi/description.ts';
import { routes } from './rest/routes.ts';

/** The OpenAPI description of the REST layer, including the limits that the domain enforces. */
export const describeRest = (publicUrl: string | null = null): object =>
  describeRoutes(routes, { rules: describedRules, publicUrl });
