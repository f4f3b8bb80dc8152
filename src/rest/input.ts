import { invalid } from '../core/errors.ts';
import { faultOf } from '../core/json-limits.ts';
import { limits } from '../core/limits.ts';
import { checkValue } from '../core/validation.ts';
import type { Input, Route } from './route.ts';
import { describe, unknownKeys, unknownParameters } from './unknown-keys.ts';

type AnyInput = Input<undefined, undefined, undefined>;
const maxIssues = 50;

/** The parts of a request that its input is made of. */
export type RequestParts = {
  /** The path's parameters. */
  params: Record<string, string>;
  /** The query string as sent, without `?`; empty if there is none. */
  query: string;
  headers: Pick<Headers, 'get'>;
  /** Resolves with the JSON body, which is parsed once; undefined without one. Throws 400, 413 or 415. */
  json: (maxBytes: number) => Promise<unknown>;
};
/** `warnings` name unknown keys; `notes` are the route's own remarks on the request. */
type Checked = { route: Route; input: AnyInput; warnings: string[]; notes: string[] };

/** Returns the route that reads the body: the declared one, or that of the other protocol on its path. */
export async function routeOf(declared: Route, parts: RequestParts): Promise<Route> {
  const { alternative } = declared;
  const isOther = alternative?.takes(await parts.json(declared.bodyLimit ?? limits.body));
  return alternative && isOther ? alternative.route : declared;
}

function withoutIgnored({ ignored }: Route, query: Record<string, unknown>): Record<string, unknown> {
  const names = ignored?.(query) ?? [];
  return names.length === 0
    ? query
    : Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
}

/**
 * Validates a request against its route. Unknown keys become warnings, or errors if the caller prefers strict handling
 * (RFC 7240). Throws 400, 413 or 415.
 */
export async function readInput(route: Route, parts: RequestParts): Promise<Checked> {
  const query = parts.query === '' ? {} : readQuery(route, new URLSearchParams(parts.query));
  refuseUnstorable({ ...query, ...parts.params });
  const body = route.body && (await parts.json(route.bodyLimit ?? limits.body));
  const checks = [
    ['params', route.params, parts.params],
    ['query', route.query, withoutIgnored(route, query)],
    ['body', route.body, body],
  ] as const;
  const issues: string[] = [];
  const input: Record<string, unknown> = { headers: parts.headers };
  for (const [name, schema, value] of checks) {
    const { data, issues: found } = schema ? checkValue(schema, value, name) : { data: {}, issues: null };
    input[name] = data;
    issues.push(...(found ?? []));
  }
  const warnings = [...unknownParameters(route.query, query), ...unknownKeys(route.body, body)].map(describe);
  if (isStrict(parts)) issues.push(...warnings);
  if (issues.length > 0) throw invalid([...new Set(issues)].slice(0, maxIssues));
  return { route, input: input as AnyInput, warnings, notes: route.notes?.(input as AnyInput) ?? [] };
}

/** Throws 400 for a repeated parameter, since its meaning is ambiguous. */
function readQuery({ query }: Route, params: URLSearchParams): Record<string, string> {
  const twice = Object.keys(query?.shape ?? {}).filter((name) => params.getAll(name).length > 1);
  if (twice.length > 0) throw invalid(twice.map((name) => `${name}: must not be given more than once`));
  return Object.fromEntries(params);
}

/** Throws 400 for what PostgreSQL rejects. */
function refuseUnstorable(values: Record<string, string>): void {
  const faults = Object.entries(values).map(([name, value]) => [name, faultOf(value)] as const);
  const issues = faults.flatMap(([name, fault]) => (fault ? [`${name}: ${fault}`] : []));
  if (issues.length > 0) throw invalid(issues);
}

/** Whether unknown keys should be rejected rather than ignored. */
const isStrict = ({ headers }: Pick<RequestParts, 'headers'>): boolean =>
  /(^|[,;\s])handling\s*=\s*"?strict\b/i.test(headers.get('prefer') ?? '');

/**
 * Returns headers about the request: unknown keys, notes, and that it was handled strictly. 299 is the warn-code of a
 * persistent warning (RFC 7234).
 */
export function headersFor(request: Pick<RequestParts, 'headers'>, warnings: string[]): Record<string, string> {
  const text = warnings
    .join('; ')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .replaceAll(/["\\]/g, "'");
  return {
    ...(warnings.length > 0 && { warning: `299 parley "${text.slice(0, 1_000)}"` }),
    ...(isStrict(request) && { 'preference-applied': 'handling=strict' }),
  };
}
