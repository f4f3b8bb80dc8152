/** How V8 holds the memory of this process. Imported for what it does, before all that takes memory. */
import { setFlagsFromString } from 'node:v8';

// V8 lets a heap grow to four times of what is in use where there is much memory: nearly all of that would be garbage.
setFlagsFromString('--heap-growing-percent=40');
