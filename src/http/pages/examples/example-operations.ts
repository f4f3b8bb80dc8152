import { dashboardOperations } from './dashboard-operations.ts';
import type { ExampleGroup } from './example.ts';
import { tour } from './tour.ts';

/** GraphiQL's examples by purpose, with the id of an agent to ask if one is known. */
export function exampleGroups(now: Date, agentId: string | null = null): ExampleGroup[] {
  const since = daysBefore(now, 30);
  return [
    { title: 'A tour', ordered: true, examples: tour(agentId, since) },
    {
      title: 'Look around',
      examples: [
        { title: 'Agents', label: 'Agents', query: agents },
        { title: 'Inbox', label: 'Inbox', query: inbox, variables: { first: 10, after: null } },
        { title: 'Leads', label: 'Leads', query: leads, variables: { since, search: '' } },
        { title: 'Knowledge', label: 'Knowledge', query: knowledge, variables: { question: 'return' } },
        { title: 'Team', label: 'Team', query: team },
      ],
    },
    { title: 'Charts', examples: dashboardOperations(now) },
  ];
}

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();

const agents = `# Every agent with its related lists, which nest, count and page like those at the root.
query Agents {
  agents(first: 20, orderBy: { field: name, direction: asc }) {
    totalCount
    nodes {
      id
      name
      purpose
      status
      conversations { totalCount }
      leads { totalCount }
      channels { nodes { platform } }
      plugins { nodes { nameForHuman } }
      bases { nodes { description status records } }
    }
  }
}
`;

const inbox = `# The most recently updated conversations, each with its lead and its last two messages.
# For the next page, put pageInfo.endCursor into the variable "after".
query Inbox($first: Int!, $after: String) {
  conversations(first: $first, after: $after, orderBy: { field: updatedAt, direction: desc }) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id
      title
      status
      stage
      platform
      updatedAt
      agent { name }
      lead { name email capture }
      messages(last: 2) {
        totalCount
        nodes { role content createdAt }
      }
    }
  }
}
`;

const leads = `# Leads of the last 30 days, with the conversations they come from.
query Leads($since: DateTime!, $search: String) {
  leads(first: 20, search: $search, filter: { createdAt: { from: $since } }) {
    totalCount
    nodes {
      id
      name
      email
      phone
      company
      capture
      custom
      utm
      agent { name }
      conversations(first: 3) { nodes { title createdAt } }
    }
  }
}
`;

const knowledge = `# The knowledge bases, the status of their sources, and the passages that match a question.
query Knowledge($question: String) {
  bases(first: 10) {
    nodes {
      id
      description
      status
      records
      agents { nodes { name } }
      sources(first: 10) {
        nodes { type status reason file { title url } }
      }
      passages(first: 3, search: $question) {
        totalCount
        nodes { text place }
      }
    }
  }
}
`;

const team = `# Who may do what here, and what the workspace pays for.
query Team {
  memberships(first: 20) {
    nodes {
      id
      role
      user { name email }
      roles { nodes { appId role } }
    }
  }
  subscriptions {
    nodes { status priceId source maxInteractions app { name } }
  }
  viewer { permissions }
}
`;
