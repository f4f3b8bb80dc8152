/**
 * The numbers of a dashboard in one request: usage, what waits for a person, the leads of a month, and agents by
 * conversations.
 *
 *   TOKEN=$(npm run --silent token) node examples/dashboard.ts
 */
const { GATEWAY = 'http://127.0.0.1:4000', TOKEN } = process.env;
const query = /* GraphQL */ `
  query Dashboard($since: DateTime!) {
    viewer { workspace { name } }
    usage { month current max }
    waiting: conversations(filter: { status: [waiting_human] }) { totalCount }
    leads(filter: { createdAt: { from: $since } }) { totalCount }
    completed: leads(filter: { createdAt: { from: $since }, capture: [completed] }) { totalCount }
    agents(first: 20) { nodes { name status conversations { totalCount } leads { totalCount } } }
  }
`;

type Count = { totalCount: number };
type Dashboard = {
  viewer: { workspace: { name: string } };
  usage: { month: string; current: number; max: number };
  waiting: Count;
  leads: Count;
  completed: Count;
  agents: { nodes: { name: string; status: string; conversations: Count; leads: Count }[] };
};

const since = new Date(Date.now() - 30 * 86_400_000).toISOString();
const response = await fetch(`${GATEWAY}/graphql`, {
  method: 'POST',
  headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables: { since } }),
});
const { data, errors } = (await response.json()) as { data: Dashboard; errors?: { message: string }[] };
if (errors) throw new Error(errors.map(({ message }) => message).join('\n'));

const { viewer, usage, waiting, leads, completed, agents } = data;
console.log(`${viewer.workspace.name}, ${usage.month}: ${usage.current} of ${usage.max} interactions`);
console.log(`${waiting.totalCount} conversations wait for a person`);
console.log(`${leads.totalCount} leads in 30 days, ${completed.totalCount} of them completed`);
console.table(
  agents.nodes.map(({ name, status, conversations, leads }) => ({
    name,
    status,
    conversations: conversations.totalCount,
    leads: leads.totalCount,
  })),
);
