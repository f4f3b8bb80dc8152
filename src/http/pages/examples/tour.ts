import type { Example } from './example.ts';

/**
 * What a dashboard builder does first, in order. Each step takes ids from the results of those before; the question can
 * be asked without them where `agentId` names an agent of the demo.
 */
export function tour(agentId: string | null, since: string): Example[] {
  const agent = agentId ?? 'the id of an agent';
  const base = 'the id of a base';
  const conversation = 'the id of a conversation';
  return [
    { title: 'CreateAgent', label: 'Make an agent', query: createAgent, variables: { input: newAgent } },
    { title: 'TeachFile', label: 'Teach it a file', query: teachFile, variables: { input: newBase }, files: true },
    {
      title: 'TeachPage',
      label: 'Teach it a page',
      query: teachPage,
      variables: { input: { baseId: base, type: 'page', file: { url: 'https://example.com/' } } },
      takes: { 'input.baseId': 'bas' },
    },
    {
      title: 'ReadProgress',
      label: 'See it read',
      query: readProgress,
      variables: { base },
      takes: { base: 'bas' },
    },
    {
      title: 'PublishAgent',
      label: 'Let it answer',
      query: publishAgent,
      variables: { agent, base },
      takes: { agent: 'agt', base: 'bas' },
    },
    {
      title: 'Ask',
      label: 'Ask it',
      query: ask,
      variables: { input: { agentId: agent, message: { content: question } } },
      takes: { 'input.agentId': 'agt' },
    },
    {
      title: 'SendMessage',
      label: 'Leave an address',
      query: sendMessage,
      variables: {
        input: {
          agentId: agent,
          conversationId: conversation,
          message: { content: 'Thanks! My name is Ana Souza, my email is ana@example.com' },
        },
      },
      takes: { 'input.agentId': 'agt', 'input.conversationId': 'cnv' },
    },
    {
      title: 'CapturedLead',
      label: 'See the lead',
      query: capturedLead,
      variables: { conversation },
      takes: { conversation: 'cnv' },
    },
    {
      title: 'AnswerAsPerson',
      label: 'Answer as a person',
      query: answerAsPerson,
      variables: { conversation, content: 'Hello Ana, I am Rita from the shop. I can hold the boots for you.' },
      takes: { conversation: 'cnv' },
    },
    {
      title: 'CreateWidget',
      label: 'Put it on a page',
      query: createWidget,
      variables: { agent, origins: ['http://localhost:*', 'http://127.0.0.1:*'] },
      takes: { agent: 'agt' },
    },
    { title: 'Overview', label: 'See the numbers', query: overview, variables: { since } },
  ];
}

const question = 'How long may I return boots?';
const newAgent = {
  name: 'Front desk',
  purpose: 'leads',
  freedom: 'restricted',
  welcome: 'Hello! What can I look up for you?',
  instructions: 'Answer briefly, from the knowledge bases alone.',
};
const newBase = {
  description: 'Returns',
  sources: [
    {
      type: 'faq',
      file: { data: { question, answer: 'You may return boots for 60 days, unworn, with the receipt.' } },
    },
  ],
};

const createAgent = `# Creates an agent, as a draft.
mutation CreateAgent($input: CreateAgentInput!) {
  createAgent(input: $input) {
    agent { id name status createdAt }
  }
}
`;

const teachFile = `# Makes a knowledge base: of a question with its answer, or of files that you choose or drop on this page.
mutation TeachFile($input: CreateBaseInput!) {
  createBase(input: $input) {
    base { id description status }
  }
}
`;

const teachPage = `# Adds a web page to the base, by its address. With the type "site", all pages below the address. You may skip this step.
mutation TeachPage($input: AddSourceInput!) {
  addSource(input: $input) {
    source { type status }
  }
}
`;

const readProgress = `# Shows each source while it is read, and ends by itself: "succeeded", or "failed" with the reason.
subscription ReadProgress($base: ID!) {
  baseProgress(baseId: $base) { type status reason done total warnings }
}
`;

const publishAgent = `# Attaches the base to the agent and publishes it. A base that is "in_progress" is still being read: see the step before.
mutation PublishAgent($agent: ID!, $base: ID!) {
  attachBase(input: { agentId: $agent, baseId: $base }) {
    agent { bases { nodes { description status sources { nodes { status reason warnings } } } } }
  }
  publishAgent(input: { id: $agent }) {
    agent { id name status }
  }
}
`;

const ask = `# Asks the agent as a visitor: write your question into the variable "content". The reply arrives in parts; the last event has it whole, with what it cites.
subscription Ask($input: SendMessageInput!) {
  streamMessage(input: $input) {
    turn {
      messages { role content metadata }
      conversation { id title status }
    }
    part
  }
}
`;

const sendMessage = `# Goes on with the conversation, in one answer. An agent for leads notes names and addresses.
mutation SendMessage($input: SendMessageInput!) {
  sendMessage(input: $input) {
    messages { role content }
    conversation { id title lead { id name email } }
  }
}
`;

const capturedLead = `# The conversation with its lead, as the team sees them.
query CapturedLead($conversation: ID!) {
  conversation(id: $conversation) {
    id
    title
    stage
    lead { id name email capture createdAt }
    messages { totalCount nodes { position role content createdAt } }
  }
}
`;

const answerAsPerson = `# Takes the conversation over from the agent, which is silent until handBackConversation, and answers the visitor.
mutation AnswerAsPerson($conversation: ID!, $content: String!) {
  takeOverConversation(input: { conversationId: $conversation }) {
    conversation { id title status takenOverAt }
  }
  sendAsPerson(input: { conversationId: $conversation, content: $content }) {
    message { role content createdAt }
  }
}
`;

const createWidget = `# Makes a widget for the pages of these origins. The list of examples then shows the tag to paste into them.
mutation CreateWidget($agent: ID!, $origins: [String!]!) {
  createChannel(input: { agentId: $agent, platform: widget, origins: $origins }) {
    channel { platform origins publishableToken }
  }
}
`;

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
