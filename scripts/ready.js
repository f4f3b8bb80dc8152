/** Preloaded by the scripts of package.json that run the gateway: generates whatever is missing. */
import './node-version.js';

const { makeMissing } = await import('./make-missing.ts');
await makeMissing();
