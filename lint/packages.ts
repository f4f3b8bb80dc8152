/** Packages that only some rooms may use. */
export const packages: { name: RegExp; rooms: RegExp; why: string }[] = [
  {
    name: /^@pothos\//,
    rooms: /^(schema|src\/(compiled|graphql)|test)\//,
    why: 'the graph is declared in schema/',
  },
  {
    name: /^(hono|@hono)\b/,
    rooms: /^(src\/(app\.ts|http\/|graphql\/|rest\/|openai\/|mcp\/|saved\/|widget\/)|test\/|bench\/)/,
    why: 'only what answers HTTP knows of it',
  },
  {
    name: /^graphql-yoga\b/,
    rooms: /^(src\/graphql\/|test\/|bench\/)/,
    why: 'the server of GraphQL is src/graphql/',
  },
  {
    name: /^(@prisma\/(client|adapter-pg)|@electric-sql\/pglite)/,
    rooms: /^(src\/database\/|bench\/|prisma\/|test\/database\/pglite\/page-holes\.test\.ts$)/,
    why: 'only src/database/ opens a database',
  },
  {
    name: /^(undici|axios|got|node-fetch)$/,
    rooms: /^(src\/(net|model)|test|bench)\//,
    why: 'the network is reached through guardedFetch, which refuses private addresses',
  },
];
