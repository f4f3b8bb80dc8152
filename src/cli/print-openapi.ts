import { writeFileSync } from 'node:fs';
import { describeRest } from '../description.ts';

/** Prints the OpenAPI description of the REST layer to openapi.json, which is committed and drift-checked. */
writeFileSync('openapi.json', `${JSON.stringify(describeRest(), null, 2)}\n`);
