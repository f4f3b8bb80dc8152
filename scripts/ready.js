/** Preloaded by the scripts of package.json that run the gateway: has what they need made where it is missing. */
import './node-version.js';

const { makeMissing } = await import('./make-missing.ts');
await makeMissing();
