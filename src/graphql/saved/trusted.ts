import { type GraphQLError, getOperationAST, OperationTypeNode, parse, GraphQLError as RefusedQuery } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import { forbidden, invalid, ParleyError } from '../../core/errors.ts';
import { isOwnerWithOwnToken } from '../../core/permissions.ts';
import { findOperation, requireOperation } from '../../domain/operations/find.ts';
import type { RequestNotes } from '../../http/log/request-log.ts';

/** The parameters of a request that say what is run. */
export type OperationParams = {
  query?: string | null | undefined;
  documentId?: unknown;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
  extensions?: unknown;
  /** Nothing but a query is run: what is saved under a name may change. */
  onlyQuery?: boolean;
};
type Caller = Pick<Context, 'config' | 'database' | 'viewer'>;

/**
 * Returns the parameters with the document of the saved operation that they name, by `documentId` or by the hash of a
 * persisted query, which it notes. Throws 403 `forbidden` for a document of the caller's own where only saved ones are
 * trusted, and 404 for an unknown name, 405 for a mutation where only a query is run.
 */
export async function withTrustedDocument<T extends OperationParams>(
  asked: T,
  caller: Caller,
  notes: Pick<RequestNotes, 'saved' | 'maxAge'>,
): Promise<T> {
  const { query, documentId, variables, onlyQuery, ...others } = asked;
  if (documentId != null) {
    if (typeof documentId !== 'string') throw invalid('documentId: must be a string');
    if (query) throw invalid('documentId: send either a documentId or a query, not both');
    return withSaved(await requireOperation(caller, documentId));
  }
  const hash = query ? null : hashIn(asked.extensions);
  if (hash !== null) {
    const saved = await findOperation(caller, `sha256:${hash}`);
    if (!saved) throw persistedQueryRefusal();
    return withSaved(saved);
  }
  if (query) requireMayAskAnything(caller);
  return asked;

  function withSaved(saved: Awaited<ReturnType<typeof requireOperation>>): T {
    Object.assign(notes, { saved: saved.name, maxAge: saved.maxAge });
    if (onlyQuery && getOperationAST(parse(saved.document))?.operation !== OperationTypeNode.QUERY)
      throw noQuery(saved.name);
    const isMap = variables == null || (typeof variables === 'object' && !Array.isArray(variables));
    const given = isMap ? { ...(saved.variables as object), ...variables } : variables;
    return { ...others, query: saved.document, variables: given } as unknown as T;
  }
}

/** 405, with an empty list of methods: none runs a mutation at the address of a saved operation. */
export const noQuery = (name: string): ParleyError =>
  new ParleyError('method_not_allowed', `${name} writes: run it by POST /graphql.`, { headers: { allow: '' } });

/** Throws 403 `forbidden` unless the caller may send documents of their own. */
function requireMayAskAnything({ config, viewer }: Caller): void {
  if (viewer.key && (viewer.key.operations.length > 0 || viewer.key.dashboardId !== null))
    throw forbidden('This key may run only saved operations: send the documentId of one.');
  if (config.trustedDocuments === 'only' && !isOwnerWithOwnToken(viewer))
    throw forbidden('Only saved operations may be run here: send the documentId of one (TRUSTED_DOCUMENTS).');
}

/** The hash in a request of Apollo's persisted queries; null if it has none. */
function hashIn(extensions: unknown): string | null {
  if (!extensions || typeof extensions !== 'object') return null;
  const { persistedQuery } = extensions as { persistedQuery?: { sha256Hash?: unknown } | null };
  return persistedQuery ? String(persistedQuery.sha256Hash) : null;
}

const code = 'PERSISTED_QUERY_NOT_SUPPORTED';

/**
 * Texts are not stored when they are run. A request with the hash of one that is not saved gets the error on which
 * Apollo Client, urql and others send the text, and go on to do so: for GET and POST, whatever is accepted, and with
 * status 200, since some clients do not read the errors of any other.
 */
const persistedQueryRefusal = () =>
  new RefusedQuery('PersistedQueryNotSupported', { extensions: { code, http: { status: 200 } } });

/** Whether this is that error, whose code is Apollo's and not ours. */
export const isPersistedQueryRefusal = ({ extensions }: GraphQLError): boolean => extensions.code === code;

/** Runs saved operations by their names. Yoga reads no `documentId` from an address. */
export const trustDocuments: Plugin<Caller> = {
  async onParams({ params, request, setParams, context }) {
    const asked: OperationParams = { ...(params as OperationParams) };
    if (request.method === 'GET') asked.documentId = new URL(request.url).searchParams.get('documentId');
    const caller = context as unknown as Caller & { requestNotes: RequestNotes };
    setParams((await withTrustedDocument(asked, caller, caller.requestNotes)) as typeof params);
  },
};
