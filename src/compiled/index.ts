/** All that the gateway takes of the lane. Without this folder the resolvers answer everything. */

export { createCompiledQueries as createLane } from './compiled-queries.ts';
export { createGraphQLFastPath as createGraphQLWay } from './http.ts';
