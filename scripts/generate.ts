/** `npm run generate`: the Prisma client, its Pothos types, the typed documents of the REST layer, and the widget's script. */
import { fileURLToPath } from 'node:url';
import { generators, run } from './generators.ts';

for (const generator of generators) await run(generator, fileURLToPath(new URL('..', import.meta.url)));
