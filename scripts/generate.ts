/** `npm run generate`: the Prisma client, Pothos' types of it, and the typed documents of the REST layer. */
import { fileURLToPath } from 'node:url';
import { generators, run } from './generators.ts';

for (const generator of generators) await run(generator, fileURLToPath(new URL('..', import.meta.url)));
