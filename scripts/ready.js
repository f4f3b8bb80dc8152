/** Preloaded by the scripts of package.json that run the gateway: generates whatever is missing. */
import { fileURLToPath } from 'node:url';
import './node-version.js';

// V8's compiled code, as src/main.ts keeps it. Imported late, since older versions of Node do not have it.
const { enableCompileCache } = await import('node:module');
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
const { makeMissing } = await import('./make-missing.ts');
await makeMissing();
