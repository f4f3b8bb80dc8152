/** The process. What it does stands in start.ts, which is imported once Node was told how to hold memory and code. */
import './heap.ts';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// What Node compiled is kept for the next start.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
const { run } = await import('./start.ts');
await run();
