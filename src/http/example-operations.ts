import type { ExampleTab } from './graphiql.ts';

/** What a first visitor of GraphiQL finds in its tabs. A test holds every one against the schema. */
export const exampleOperations: ExampleTab[] = [
  {
    title: 'Agents',
    query: `# The agents of the workspace, newest first, with what hangs on each.
query Agents {
  agents(first: 10) {
    totalCount
    nodes {
      id
      name
      purpose
      status
      conversations(first: 1) {
        totalCount
      }
      leads(first: 1) {
        totalCount
      }
      bases(first: 5) {
        nodes {
          id
        }
      }
    }
  }
}`,
  },
];
