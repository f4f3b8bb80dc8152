/**
 * `npm run generate`: the Prisma client, its Pothos types, the typed documents of the REST layer, the widget's
 * script, what pdf.js reads, and the database that new data folders begin with.
 */
import { fileURLToPath } from 'node:url';
import { generators, makeTemplate, run } from './generators.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const generator of generators) await run(generator, root);
// It needs what was just generated.
await makeTemplate(root);
