/** Sets flags of V8. Imported for its side effect, before anything that allocates much, and before WebAssembly. */
import { setFlagsFromString } from 'node:v8';

// On machines with much memory, V8 lets the heap grow to four times its live size: nearly all of that would be garbage.
setFlagsFromString('--heap-growing-percent=40');
// A start runs much of PostgreSQL a few times. By default, V8 would optimize what it ran for a millisecond, which costs
// more than it saves; what requests run all the time is optimized within seconds all the same.
setFlagsFromString('--wasm-tiering-budget=100000000');

/**
 * By default, V8 fully optimizes a small function after three thousand calls: what a request runs is many small ones,
 * and would be half optimized for the first ten thousand requests. To be called once the gateway serves, since a start
 * calls much a thousand times that no request does.
 */
export const optimizeSooner = (): void => setFlagsFromString('--invocation-count-for-turbofan=1000');
