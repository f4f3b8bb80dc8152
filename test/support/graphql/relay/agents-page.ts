// @ts-nocheck: a Relay client's modules, read by its compiler and never run.
import { graphql } from 'react-relay';

export const query = graphql`
  query agentsPageQuery($search: String) {
    viewer {
      role
    }
    ...agentsPage_agents @arguments(search: $search)
  }
`;

export const agents = graphql`
  fragment agentsPage_agents on Query
  @refetchable(queryName: "agentsPagePaginationQuery")
  @argumentDefinitions(
    first: { type: "Int", defaultValue: 20 }
    after: { type: "String" }
    search: { type: "String" }
  ) {
    agents(first: $first, after: $after, search: $search, orderBy: { field: name, direction: asc })
      @connection(key: "agentsPage_agents", filters: ["search"]) {
      totalCount
      edges {
        node {
          id
          ...agentCard_agent
        }
      }
    }
  }
`;

export const createAgent = graphql`
  mutation agentsPageCreateMutation($input: CreateAgentInput!, $connections: [ID!]!) {
    createAgent(input: $input) {
      agent @prependNode(connections: $connections, edgeTypeName: "AgentEdge") {
        id
        ...agentCard_agent
      }
    }
  }
`;

export const deleteAgent = graphql`
  mutation agentsPageDeleteMutation($input: DeleteAgentInput!, $connections: [ID!]!) {
    deleteAgent(input: $input) {
      deletedId @deleteEdge(connections: $connections)
    }
  }
`;
