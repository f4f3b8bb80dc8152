/** How V8 holds the memory of this process. Imported for what it does, before all that takes memory. */
import { setFlagsFromString } from 'node:v8';

// V8 lets a heap grow to four times of what is in use where there is much memory: nearly all of that would be garbage.
setFlagsFromString('--heap-growing-percent=40');
// The young generation of this thread is as large as npm start's flag said: that is settled by now. Left set, the flag would
// go before the smaller limit that the thread for reading sources is given.
setFlagsFromString('--max-semi-space-size=0');
