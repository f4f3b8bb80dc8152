/**
 * The interface for the composition root. With `COMPILED_QUERIES=off` it is not used, and resolvers handle all
 * requests.
 */

export { createCompiledQueries } from './compiled-queries.ts';
export { createExplain } from './explain.ts';
