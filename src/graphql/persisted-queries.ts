import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';

const code = 'PERSISTED_QUERY_NOT_SUPPORTED';

/**
 * Persisted queries are not supported. A request with only a hash gets the error on which Apollo Client, urql and
 * others send the text, and go on to do so: for GET and POST, whatever is accepted, and with status 200, since some
 * clients do not read the errors of any other.
 */
export const refusePersistedQueries: Plugin = {
  onParams({ params: { query, extensions } }) {
    if (query || !extensions || typeof extensions !== 'object' || !extensions.persistedQuery) return;
    throw new GraphQLError('PersistedQueryNotSupported', { extensions: { code, http: { status: 200 } } });
  },
};

/** Whether this is that error, whose code is Apollo's and not ours. */
export const isPersistedQueryRefusal = ({ extensions }: GraphQLError): boolean => extensions.code === code;
