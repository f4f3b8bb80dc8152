import { createRequire } from 'node:module';
import type * as library from 'libphonenumber-js/max';

type Phones = typeof library;

let loaded: Phones | undefined;

/** libphonenumber with the numbering plans of the world. Loaded with the first number: a start does without. */
export const phones = (): Phones => (loaded ??= createRequire(import.meta.url)('libphonenumber-js/max') as Phones);
