import { afresh, type BenchRequest, type Contender, post } from '../contender.ts';
import { toRestPage } from '../normalise.ts';
import { isCreate, isUpdate, newLead, nextCompany, type Operation, type Variant } from '../operations.ts';

const listOf = (total: string) => `query List($agentId: ID!, $after: String) {
  agent(id: $agentId) {
    conversations(first: 20, after: $after) {
      ${total}
      nodes { id title status messageCount createdAt updatedAt lead { id name email phone } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

const documents: Partial<Record<Operation, string>> = {
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
  'page of agents': `query Agents($offset: Int!) {
  list: agents(first: 20, offset: $offset) {
    totalCount
    nodes {
      id name description avatar color welcome instructions off references purpose freedom behavior_type: behaviorType
      status left workspaceId createdBy updatedBy createdAt updatedAt
    }
  }
}`,
  'page of conversations': `query Conversations($agentId: ID!, $offset: Int!) {
  agent(id: $agentId) {
    list: conversations(first: 20, offset: $offset) {
      totalCount
      nodes {
        id title agentId channelId workspaceId platform context platformUserIdentifier leadId stage preview summary status
        lead { id workspaceId agentId name email phone company site custom utm capture createdAt updatedAt }
        createdAt updatedAt
      }
    }
  }
}`,
  'create (GraphQL)': `mutation Create($input: NewLead!) {
  lead: createLead(input: $input) { id name email phone capture createdAt }
}`,
  'update (GraphQL)': `mutation Update($id: ID!, $company: String!) {
  lead: updateLead(id: $id, company: $company) { id name email company updatedAt }
}`,
};

function variablesOf(operation: Operation, { place, conversationId, pageNumber }: Variant): object {
  const { agentId, after } = place;
  const offset = (pageNumber - 1) * 20;
  if (operation === 'point') return { id: conversationId };
  if (operation === 'page of agents') return { offset };
  if (operation === 'page of conversations') return { agentId, offset };
  if (operation === 'create (GraphQL)') return { input: newLead };
  // Its cursors encode the time and id of the row before the page.
  return { agentId, after: Buffer.from(`${after.createdAt} ${after.id}`).toString('base64') };
}

/** Mercurius with hand-written loaders. It verifies no bearer: a header names the workspace. */
export const mercurius: Contender = {
  name: 'Mercurius',
  file: 'contenders/mercurius.ts',
  ready: post('/graphql', { query: '{ __typename }' }),
  async requests(operation, variants) {
    const query = documents[operation];
    if (!query) return null;
    return variants.map((variant): BenchRequest => {
      const headers = { 'x-workspace': variant.tenant.workspaceId };
      if (!isUpdate(operation)) return post('/graphql', { query, variables: variablesOf(operation, variant) }, headers);
      return afresh(post('/graphql', {}, headers), () => ({
        query,
        variables: { id: variant.leadId, company: nextCompany() },
      }));
    });
  },
  read(operation, answer) {
    const { data } = answer as { data: object };
    if (isCreate(operation)) return { data: { createLead: data } };
    return isUpdate(operation) ? { data: { updateLead: data } } : toRestPage(operation, answer);
  },
};
