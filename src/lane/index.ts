/** All that the gateway takes of the lane. Without this folder the resolvers answer everything. */
export { createGraphQLWay } from './http.ts';
export { createLane } from './lane.ts';
