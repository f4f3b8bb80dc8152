import type { ExampleTab } from '../graphiql.ts';
import { dashboardOperations } from './dashboard-operations.ts';

const DAY_MS = 86_400_000;

/**
 * The tabs that a first-time visitor of GraphiQL sees, with the id of an agent to ask if one is known. A test validates
 * every operation against the schema.
 */
export function exampleOperations(now: Date, agentId: string | null = null): ExampleTab[] {
  const since = new Date(now.getTime() - 30 * DAY_MS).toISOString();
  return [
    { title: 'Overview', query: overview, variables: { since } },
    { title: 'Agents', query: agents },
    { title: 'Inbox', query: inbox, variables: { first: 10, after: null } },
    { title: 'Leads', query: leads, variables: { since, search: '' } },
    { title: 'Knowledge', query: knowledge, variables: { question: 'return' } },
    { title: 'Team', query: team },
    ...dashboardOperations(now),
    { title: 'CreateAgent', query: createAgent, variables: { input: newAgent } },
    { title: 'SendMessage', query: sendMessage(agentId), variables: { input: newMessage(agentId) } },
  ];
}

const overview = `# The figures of a dashboard in one request. "since" is a variable, set below.
query Overview($since: DateTime!) {
  viewer {
    role
    user { name }
    workspace { name }
  }
  usage { month current max }
  activeAgents: agents(filter: { status: [active] }) {
    totalCount
  }
  waiting: conversations(filter: { status: [waiting_human] }) {
    totalCount
  }
  newConversations: conversations(filter: { createdAt: { from: $since } }) {
    totalCount
  }
  newLeads: leads(filter: { createdAt: { from: $since } }) {
    totalCount
  }
  completedLeads: leads(
    filter: { createdAt: { from: $since }, capture: [completed] }
  ) {
    totalCount
  }
}
`;

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

const createAgent = `# Creates an agent as a draft; publishAgent lets it answer on public channels.
mutation CreateAgent($input: CreateAgentInput!) {
  createAgent(input: $input) {
    agent { id name status createdAt }
  }
}
`;

const newAgent = {
  name: 'Front desk',
  purpose: 'support',
  freedom: 'restricted',
  welcome: 'Hello! What can I look up for you?',
  instructions: 'Answer briefly, from the knowledge bases alone.',
};

const sendMessage = (
  agentId: string | null,
) => `# Sends a message to an agent${agentId ? ', the one in the variables below' : '. Put the id of one (from the tab Agents) into the variables'}.
mutation SendMessage($input: SendMessageInput!) {
  sendMessage(input: $input) {
    conversation { id title status lead { name email } }
    messages { role content metadata }
  }
}
`;

const newMessage = (agentId: string | null) => ({
  agentId: agentId ?? 'the id of an agent',
  message: { content: 'How long may I return boots?' },
});
