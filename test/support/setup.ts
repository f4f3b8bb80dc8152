import fc from 'fast-check';
import { seed } from './random/seed.ts';

// Random tests run the same cases each time, so that only changes affect results. FUZZ_SEED sets another seed.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
