// @ts-nocheck: a Relay client's module, read by its compiler and never run.
import { graphql } from 'react-relay';

export const query = graphql`
  query strictPageQuery($id: ID!) @throwOnFieldError {
    agent(id: $id) {
      conversations(first: 1) {
        nodes {
          lead {
            name
          }
        }
      }
    }
  }
`;
