import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';

const code = 'PERSISTED_QUERY_NOT_SUPPORTED';

/**
 * Documents are not kept by their hashes. Who sends a hash alone is told so in the words on which Apollo Client, urql and
 * others send the text, and send texts from then on. By GET, by POST, and whatever is accepted, with status 200: some
 * clients read the errors of no other.
 */
export const refusePersistedQueries: Plugin = {
  onParams({ params: { query, extensions } }) {
    if (query || !extensions || typeof extensions !== 'object' || !extensions.persistedQuery) return;
    throw new GraphQLError('PersistedQueryNotSupported', { extensions: { code, http: { status: 200 } } });
  },
};

/** Whether an error is this one, whose code is Apollo's and not ours. */
export const isPersistedQueryRefusal = ({ extensions }: GraphQLError): boolean => extensions.code === code;
