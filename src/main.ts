/** The process. What it does stands in start.ts, which is imported once Node keeps what it compiles for the next start. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
const { run } = await import('./start.ts');
await run();
