/** Packages that only some modules may use. */
export const packages: { name: RegExp; modules: RegExp; why: string }[] = [
  {
    name: /^@pothos\//,
    modules: /^(schema|src\/(compiled|graphql)|test)\//,
    why: 'the graph is declared in schema/',
  },
  {
    name: /^(hono|@hono)\b/,
    modules: /^(src\/(app\.ts|http\/|graphql\/|rest\/|openai\/|mcp\/|saved\/|widget\/)|test\/|bench\/)/,
    why: 'only what answers HTTP knows of it',
  },
  {
    name: /^graphql-yoga\b/,
    modules: /^(src\/graphql\/|test\/|bench\/)/,
    why: 'the server of GraphQL is src/graphql/',
  },
  {
    name: /^(@prisma\/(client|adapter-pg)|@electric-sql\/pglite)/,
    modules: /^(src\/database\/|bench\/|prisma\/|test\/database\/pglite\/page-holes\.test\.ts$)/,
    why: 'only src/database/ opens a database',
  },
  {
    name: /^(undici|axios|got|node-fetch)$/,
    modules: /^(src\/(net|model)|test|bench)\//,
    why: 'the network is reached through guardedFetch, which refuses private addresses',
  },
];
