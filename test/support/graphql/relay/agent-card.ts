// @ts-nocheck: a Relay client's modules, read by its compiler and never run.
import { graphql } from 'react-relay';

export const agent = graphql`
  fragment agentCard_agent on Agent @refetchable(queryName: "agentCardRefetchQuery") {
    name
    status
    bases(first: 3) {
      nodes {
        description
      }
    }
    ...agentCard_conversations
  }
`;

export const conversations = graphql`
  fragment agentCard_conversations on Agent
  @refetchable(queryName: "agentCardConversationsPaginationQuery")
  @argumentDefinitions(last: { type: "Int", defaultValue: 10 }, before: { type: "String" }) {
    conversations(last: $last, before: $before) @connection(key: "agentCard_conversations") {
      edges {
        node {
          title
          lead {
            name
          }
          messages(first: 1) {
            nodes {
              content
            }
          }
        }
      }
    }
  }
`;

export const anything = graphql`
  query agentCardNodesQuery($ids: [ID!]!) {
    nodes(ids: $ids) {
      __typename
      id
      ... on Lead {
        email
      }
      ... on Source {
        base {
          description
        }
      }
    }
  }
`;
