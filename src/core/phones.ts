import { createRequire } from 'node:module';
import type * as library from 'libphonenumber-js/max';

type Phones = typeof library;

let loaded: Phones | undefined;

/** libphonenumber with the full metadata. Loaded on first use, to keep the start fast. */
export const phones = (): Phones => (loaded ??= createRequire(import.meta.url)('libphonenumber-js/max') as Phones);
