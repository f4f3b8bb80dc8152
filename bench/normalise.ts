import { isCreate, isTurn, isUpdate, type Operation } from './operations.ts';

type Json = Record<string, unknown>;

/** Converts a page that was requested through GraphQL to the shape of the REST layer, which is raw's. */
export function toRestPage(operation: Operation, answer: unknown): unknown {
  if (!operation.startsWith('page')) return answer;
  const { data } = answer as { data: { list: Json } | { agent: { list: Json } } };
  const { nodes, totalCount } = 'list' in data ? data.list : data.agent.list;
  return { data: nodes, meta: { total: totalCount } };
}

const time = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d(?::?\d\d)?)$/;
/** Cursors differ between contenders. */
const dropped = new Set(['endCursor']);

/** Makes responses comparable: times in one format, keys sorted, cursors removed. */
export function normalise(operation: Operation, answer: unknown): unknown {
  const isPage = operation.startsWith('page');
  const isNew = isCreate(operation) || isTurn(operation);
  const walk = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, key));
    if (value !== null && typeof value === 'object') {
      // Only our REST layer counts pages.
      if (isPage && key === 'meta') return { total: (value as Json).total };
      const entries = Object.entries(value).filter(([name]) => !dropped.has(name));
      return Object.fromEntries(
        entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => [name, walk(item, name)]),
      );
    }
    if (typeof value !== 'string') return value;
    if (isNew && (key === 'id' || key.endsWith('At'))) return key;
    if (isUpdate(operation) && (key === 'company' || key === 'updatedAt')) return key;
    return time.test(value) ? new Date(value).toISOString() : value;
  };
  return walk(answer, '');
}
