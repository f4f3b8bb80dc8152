/** What the composition root takes of compiled queries. With `LANE=off` it takes nothing, and the resolvers answer. */

export { createCompiledQueries } from './compiled-queries.ts';
export { createGraphQLFastPath } from './http.ts';
