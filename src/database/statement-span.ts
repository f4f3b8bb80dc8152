import { errorTypeOf, type Span, type SpanDescription } from '../core/tracing.ts';

/** Where a connection leads; null for the embedded database. */
type Server = { host: string; port: number; database?: string | undefined } | null;

const verbs = /\b(?:INSERT INTO|DELETE FROM|MERGE INTO|UPDATE)\b/;
/** Tables have quoted names that begin with a capital, unlike the aliases of compiled queries. */
const table = /\b(?:FROM|INTO|UPDATE)\s+(?:ONLY\s+)?(?:"?\w+"?\.)?"([A-Z]\w*)"/;

/**
 * Describes the span of a statement by its verb and first table. The text is left out, as compiled queries are long,
 * and so are its values.
 */
export function describeStatement(text: string, server: Server): SpanDescription {
  const [first = ''] = /^\s*(\w+)/.exec(text)?.slice(1) ?? [];
  const verb = first.toUpperCase();
  const operation = verb === 'WITH' ? (verbs.exec(text)?.[0].split(' ')[0] ?? 'SELECT') : verb;
  const collection = table.exec(text)?.[1];
  return {
    name: collection ? `${operation} ${collection}` : operation || 'query',
    kind: 'client',
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.collection.name': collection,
      'db.namespace': server?.database,
      'server.address': server?.host,
      'server.port': server?.port,
    },
  };
}

/** Ends the span of a statement. The error's message is left out, since it may quote values. */
export function endStatement(span: Span, error: unknown): void {
  if (error) {
    const { severity, code } = error as { severity?: string; code?: string };
    // Only the server's own errors have a severity; their code is the SQLSTATE.
    if (severity !== undefined) span.set({ 'db.response.status_code': code });
    span.fail(errorTypeOf(error));
  }
  span.end();
}
