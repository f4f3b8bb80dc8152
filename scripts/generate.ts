/**
 * `npm run generate`: the Prisma client, its Pothos types, the typed documents of the REST layer, the widget's
 * script, what readers of files run, what pdf.js reads, and the databases that new data folders begin with.
 */
import { fileURLToPath } from 'node:url';
import { generators, makeTemplates, run } from './generators.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const generator of generators) await run(generator, root);
// They need what was just generated.
await makeTemplates(root);
