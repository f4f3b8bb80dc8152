import { newId } from '../../src/database/ids.ts';
import { afresh, type BenchRequest, type Contender, post, type Send } from '../contender.ts';
import { toRestPage } from '../normalise.ts';
import { isCreate, isUpdate, newLead, nextCompany, type Operation, type Variant } from '../operations.ts';

const agent = 'agentByWorkspaceIdAndRowId(workspaceId: $workspaceId, rowId: $agentId)';
const newest = 'orderBy: [CREATED_AT_DESC, ROW_ID_DESC]';
const lead = 'lead: leadByWorkspaceIdAndLeadId';
const wholeLead = `{
  id: rowId workspaceId agentId name email phone company site custom utm capture createdAt updatedAt
}`;

const listOf = (total: string) => `query List($workspaceId: String!, $agentId: String!, $after: Cursor) {
  agent: ${agent} {
    conversations: conversationsByWorkspaceIdAndAgentId(first: 20, after: $after, ${newest}) {
      ${total}
      nodes { id: rowId title status messageCount createdAt updatedAt ${lead} { id: rowId name email phone } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

const documents: Partial<Record<Operation, string>> = {
  nested: `query Nested($workspaceId: String!) {
  agents: allAgents(first: 20, condition: { workspaceId: $workspaceId }, ${newest}) {
    nodes {
      id: rowId name status
      conversations: conversationsByWorkspaceIdAndAgentId(first: 10, ${newest}) {
        nodes {
          id: rowId title status createdAt
          ${lead} { id: rowId name email }
          messages: messagesByWorkspaceIdAndConversationId(first: 5, orderBy: [POSITION_ASC]) {
            nodes { id: rowId role content createdAt }
          }
        }
      }
    }
  }
}`,
  list: listOf(''),
  'list, total': listOf('totalCount'),
  point: `query Point($workspaceId: String!, $id: String!) {
  conversation: conversationByWorkspaceIdAndRowId(workspaceId: $workspaceId, rowId: $id) {
    id: rowId title status stage summary createdAt
    messages: messagesByWorkspaceIdAndConversationId(last: 20, orderBy: [POSITION_ASC]) {
      nodes { id: rowId position role content createdAt }
    }
  }
}`,
  'page of agents': `query Agents($workspaceId: String!, $offset: Int!) {
  list: allAgents(first: 20, offset: $offset, condition: { workspaceId: $workspaceId }, ${newest}) {
    totalCount
    nodes {
      id: rowId name description avatar color welcome instructions off references purpose freedom
      behavior_type: behaviorType status left workspaceId createdBy updatedBy createdAt updatedAt
    }
  }
}`,
  'page of conversations': `query Conversations($workspaceId: String!, $agentId: String!, $offset: Int!) {
  agent: ${agent} {
    list: conversationsByWorkspaceIdAndAgentId(first: 20, offset: $offset, ${newest}) {
      totalCount
      nodes {
        id: rowId title agentId channelId workspaceId platform context platformUserIdentifier leadId stage preview
        summary status ${lead} ${wholeLead} createdAt updatedAt
      }
    }
  }
}`,
  'create (GraphQL)': `mutation Create($lead: LeadInput!) {
  createLead(input: { lead: $lead }) { lead { id: rowId name email phone capture createdAt } }
}`,
  'update (GraphQL)': `mutation Update($workspaceId: String!, $id: String!, $patch: LeadPatch!) {
  updateLead: updateLeadByWorkspaceIdAndRowId(input: { workspaceId: $workspaceId, rowId: $id, leadPatch: $patch }) {
    lead { id: rowId name email company updatedAt }
  }
}`,
};

const cursorDocument = `query Cursor($workspaceId: String!, $agentId: String!, $offset: Int!) {
  agent: ${agent} {
    conversations: conversationsByWorkspaceIdAndAgentId(first: 1, offset: $offset, ${newest}) { edges { cursor } }
  }
}`;
type CursorAnswer = { data: { agent: { conversations: { edges: { cursor: string }[] } } } };

const graphql = (query: string, variables: object) => post('/graphql', { query, variables });

async function cursorOf({ tenant, place }: Variant, send: Send): Promise<string> {
  const variables = { workspaceId: tenant.workspaceId, agentId: place.agentId, offset: place.depth - 1 };
  const { body } = await send(graphql(cursorDocument, variables));
  return (body as CursorAnswer).data.agent.conversations.edges[0]?.cursor ?? '';
}

/** Its callers supply what the gateway derives: the id, the search text and whether the lead is completed. */
function create(query: string, { tenant }: Variant): BenchRequest {
  return afresh(post('/graphql', {}), () => {
    const updatedAt = new Date().toISOString();
    const columns = { rowId: newId('lead'), workspaceId: tenant.workspaceId, capture: 'completed', updatedAt };
    const searchText = `${newLead.name} ${newLead.email} ${newLead.phone}`.toLowerCase();
    return { query, variables: { lead: { ...newLead, ...columns, searchText } } };
  });
}

function update(query: string, { tenant: { workspaceId }, leadId: id }: Variant): BenchRequest {
  return afresh(post('/graphql', {}), () => {
    const company = nextCompany();
    const patch = { company, searchText: company.toLowerCase(), updatedAt: new Date().toISOString() };
    return { query, variables: { workspaceId, id, patch } };
  });
}

async function variablesOf(operation: Operation, variant: Variant, send: Send): Promise<object> {
  const { tenant, place, conversationId, pageNumber } = variant;
  const { workspaceId } = tenant;
  const offset = (pageNumber - 1) * 20;
  if (operation === 'nested') return { workspaceId };
  if (operation === 'point') return { workspaceId, id: conversationId };
  if (operation === 'page of agents') return { workspaceId, offset };
  if (operation === 'page of conversations') return { workspaceId, agentId: place.agentId, offset };
  return { workspaceId, agentId: place.agentId, after: await cursorOf(variant, send) };
}

/** PostGraphile 5. It verifies no bearer; conditions restrict queries to one workspace. */
export const postgraphile: Contender = {
  name: 'PostGraphile 5',
  file: 'contenders/postgraphile.ts',
  env: { GRAPHILE_ENV: 'production' },
  ready: post('/graphql', { query: '{ __typename }' }),
  async requests(operation, variants, send) {
    const query = documents[operation];
    if (!query) return null;
    const asks: BenchRequest[] = [];
    for (const variant of variants) {
      if (isCreate(operation)) asks.push(create(query, variant));
      else if (isUpdate(operation)) asks.push(update(query, variant));
      else asks.push(graphql(query, await variablesOf(operation, variant, send)));
    }
    return asks;
  },
  read: toRestPage,
};
