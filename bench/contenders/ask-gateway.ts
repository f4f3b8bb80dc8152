import { startEnvironment, startFlags } from '../../src/config/start-settings.ts';
import {
  afresh,
  type BenchRequest,
  type Contender,
  gatewayFile,
  get,
  post,
  type Send,
  type Tokens,
} from '../contender.ts';
import {
  asked,
  days,
  isTurn,
  newLead,
  nextCompany,
  type Operation,
  question,
  turnAgentOf,
  turnConversation,
  type Variant,
} from '../operations.ts';

const listOf = (total: string) => `query List($agentId: ID!, $after: String) {
  agent(id: $agentId) {
    conversations(first: 20, after: $after) {
      ${total}
      nodes { id title status messageCount createdAt updatedAt lead { id name email phone } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

const documents = {
  nested: `query Nested {
  agents(first: 20) {
    nodes {
      id name status
      conversations(first: 10) {
        nodes {
          id title status createdAt
          lead { id name email }
          messages(first: 5) { nodes { id role content createdAt } }
        }
      }
    }
  }
}`,
  list: listOf(''),
  'list, total': listOf('totalCount'),
  point: `query Point($id: ID!) {
  conversation(id: $id) {
    id title status stage summary createdAt
    messages(last: 20) { nodes { id position role content createdAt } }
  }
}`,
  'groups, days': `query Days($from: DateTime!, $to: DateTime!) {
  conversations(first: 0, filter: { createdAt: { from: $from, to: $to } }) {
    groups(first: 100, orderBy: { field: by, direction: asc }) {
      nodes { by { day: createdAt(every: day) { from } } count }
    }
  }
}`,
  'groups, top 10': `query Top {
  messages(first: 0) {
    groups(first: 10) { nodes { by { conversation { id title } } count } other { count } }
  }
}`,
  'groups, nested': `query GroupsOfAgents {
  agents(first: 20) {
    nodes {
      id name
      conversations(first: 0) {
        groups(first: 30, orderBy: { field: by, direction: asc }) { nodes { by { month: createdAt(every: month) { from } } count } }
      }
    }
  }
}`,
  'groups, ratio': `query Ratio {
  conversations(first: 0) {
    groups(first: 20) { nodes { by { agent { id } } count long: ratio(of: count, ofFilter: { messageCount: { gte: 6 } }) } }
  }
}`,
  'groups, running': `query Running($from: DateTime!, $to: DateTime!) {
  conversations(first: 0, filter: { createdAt: { from: $from, to: $to } }) {
    groups(first: 100, orderBy: { field: by, direction: asc }) {
      nodes { by { day: createdAt(every: day) { from } } count cumulative { count } }
    }
  }
}`,
  'groups, histogram': `query Histogram {
  conversations(first: 0) {
    groups(first: 100, orderBy: { field: by, direction: asc }) {
      nodes { by { range(of: messageCount, width: 5) { from to } } count }
    }
  }
}`,
  'groups, funnel': `query Funnel {
  reachedStages(first: 0) { groups(first: 10) { nodes { by { stage } count p50 { elapsed } } } }
}`,
  'create (GraphQL)': `mutation Create($input: CreateLeadInput!) {
  createLead(input: $input) { lead { id name email phone capture createdAt } }
}`,
  'update (GraphQL)': `mutation Update($input: UpdateLeadInput!) {
  updateLead(input: $input) { lead { id name email company updatedAt } }
}`,
};

const cursorDocument = `query Cursor($agentId: ID!, $offset: Int!) {
  agent(id: $agentId) { conversations(first: 1, offset: $offset) { edges { cursor } } }
}`;
type CursorAnswer = { data: { agent: { conversations: { edges: { cursor: string }[] } } } };

/** What raw's answer to a turn has too. */
function readTurn(answer: unknown): unknown {
  const { id, status, lead, messages } = answer as { id: string; status: string; lead: null; messages: Message[] };
  return { id, status, lead, messages: messages.map(({ id, role, content, usage }) => ({ id, role, content, usage })) };
}
type Message = { id: string; role: string; content: string; usage: object };

/** This gateway, with a bearer of the variant's workspace. */
export function gateway(name: string, tokens: Tokens, env: Record<string, string> = {}): Contender {
  const headers = ({ tenant }: Variant) => ({ authorization: `Bearer ${tokens(tenant)}` });
  const graphql = (query: string, variables: object, variant: Variant) =>
    post('/graphql', { query, variables }, headers(variant));

  const turn = (variant: Variant, to: { id?: string }) =>
    post(
      `/api/${turnAgentOf(variant.tenant.workspaceId)}`,
      { ...to, message: { content: question } },
      headers(variant),
    );

  const cursorOf = async (variant: Variant, send: Send): Promise<string> => {
    const { agentId, depth } = variant.place;
    const { body } = await send(graphql(cursorDocument, { agentId, offset: depth - 1 }, variant));
    return (body as CursorAnswer).data.agent.conversations.edges[0]?.cursor ?? '';
  };

  const ask = async (operation: Operation, variant: Variant, send: Send, index: number): Promise<BenchRequest> => {
    const { place, conversationId, pageNumber } = variant;
    const query = `page=${pageNumber}&size=20`;
    switch (operation) {
      case 'nested':
        return graphql(documents.nested, {}, variant);
      case 'list':
      case 'list, total':
        return graphql(documents[operation], { agentId: place.agentId, after: await cursorOf(variant, send) }, variant);
      case 'point':
        return graphql(documents.point, { id: conversationId }, variant);
      case 'groups, days':
      case 'groups, running':
        return graphql(documents[operation], days, variant);
      case 'groups, top 10':
      case 'groups, nested':
      case 'groups, ratio':
      case 'groups, histogram':
      case 'groups, funnel':
        return graphql(documents[operation], {}, variant);
      case 'page of agents':
        return get(`/rest/agents?${query}`, headers(variant));
      case 'page of conversations':
        return get(`/rest/conversations/list/${place.agentId}?${query}`, headers(variant));
      case 'create (GraphQL)':
        return graphql(documents[operation], { input: newLead }, variant);
      case 'create (REST)':
        return post('/rest/leads', newLead, headers(variant));
      case 'update (GraphQL)':
        return afresh(post('/graphql', {}, headers(variant)), () => ({
          query: documents[operation],
          variables: { input: { id: variant.leadId, company: nextCompany() } },
        }));
      case 'turn, new conversation':
        return turn(variant, {});
      case 'turn, twentieth message':
        return turn(variant, { id: turnConversation(index) });
    }
  };

  return {
    name,
    file: gatewayFile,
    env: { ...startEnvironment, ...env },
    flags: startFlags,
    ready: get('/ready'),
    async requests(operation, variants, send) {
      const asks: BenchRequest[] = [];
      for (const [index, variant] of asked(operation, variants).entries()) {
        asks.push(await ask(operation, variant, send, index));
      }
      return asks;
    },
    read: (operation, answer) => (isTurn(operation) ? readTurn(answer) : answer),
  };
}
