/** The process. What it does stands in start.ts, which is imported once Node was told how to hold memory and code. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// V8 lets a heap grow to four times of what is in use where there is much memory: nearly all of that would be garbage.
setFlagsFromString('--heap-growing-percent=40');
// What Node compiled is kept for the next start.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
const { run } = await import('./start.ts');
await run();
