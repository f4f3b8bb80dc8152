import fc from 'fast-check';
import { seed } from './seed.ts';

// Random tests meet the same cases each time, so that a change is judged by what it changed. FUZZ_SEED makes others.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
