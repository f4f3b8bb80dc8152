/**
 * Moves a program from REST to GraphQL. Over REST, it reads the agents page by page and then the conversations of each;
 * over GraphQL, one operation says the same. Ids are equal on both, so a program can move one call at a time.
 *
 *   TOKEN=$(npm run --silent token) node examples/rest-migration.ts
 */
const { GATEWAY = 'http://127.0.0.1:4000', TOKEN } = process.env;
const authorization = `Bearer ${TOKEN}`;

type Page<Row> = { data: Row[]; meta: { total: number; next: number | null } };
type Agent = { id: string; name: string };

/** Before: a request for each page, and one more for each agent. */
async function overRest(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let page: number | null = 1;
  while (page) {
    const agents: Page<Agent> = await get(`/rest/agents?page=${page}&size=20`);
    for (const { id } of agents.data) {
      const conversations: Page<object> = await get(`/rest/conversations/list/${id}?page=1&size=1`);
      counts[id] = conversations.meta.total;
    }
    page = agents.meta.next;
  }
  return counts;
}

async function get<Body>(path: string): Promise<Body> {
  const response = await fetch(GATEWAY + path, { headers: { authorization } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}

/** After: one request. */
async function overGraphQL(): Promise<Record<string, number>> {
  const response = await fetch(`${GATEWAY}/graphql`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ agents(first: 100) { nodes { id conversations { totalCount } } } }' }),
  });
  type Answer = { data: { agents: { nodes: { id: string; conversations: { totalCount: number } }[] } } };
  const { data } = (await response.json()) as Answer;
  return Object.fromEntries(data.agents.nodes.map(({ id, conversations }) => [id, conversations.totalCount]));
}

const [before, after] = [await overRest(), await overGraphQL()];
const different = Object.keys({ ...before, ...after }).filter((id) => before[id] !== after[id]);
if (different.length > 0) throw new Error(`REST and GraphQL differ in ${different.join(', ')}`);
console.log(`${Object.keys(after).length} agents, with the same conversations over REST and GraphQL:`);
for (const [id, count] of Object.entries(after)) console.log(`${id}  ${count}`);
