import { writeFileSync } from 'node:fs';
import { describeRest } from '../description.ts';

/** Writes the OpenAPI description of the REST layer to openapi.json, which is committed and checked for drift. */
writeFileSync('openapi.json', `${JSON.stringify(describeRest(), null, 2)}\n`);
