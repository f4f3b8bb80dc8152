import { writeFileSync } from 'node:fs';
import { describeRoutes } from '../rest/openapi.ts';
import { routes } from '../rest/routes.ts';

/** Prints the OpenAPI description of the REST layer to openapi.json, which is committed and drift-checked. */
writeFileSync('openapi.json', `${JSON.stringify(describeRoutes(routes), null, 2)}\n`);
