import { invalid } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { checkValue } from '../core/validation.ts';
import type { Input, Route } from './route.ts';
import { describe, unknownKeys, unknownParameters } from './unknown-keys.ts';

type AnyInput = Input<undefined, undefined, undefined>;
const maxIssues = 50;

/** What is read of a request, whoever received it. */
export type RequestParts = {
  /** What the path says, by the names of the route. */
  params: Record<string, string>;
  /** What stands behind the `?`, as it was sent; empty without one. */
  query: string;
  headers: Pick<Headers, 'get'>;
  /** The JSON of the body; undefined without one. Throws 400, 413 or 415. */
  json: (maxBytes: number) => unknown;
  /** What `readInput` made of it. */
  checked?: Checked;
};
/** `warnings` name unknown keys; `notes` are what the route has to say of what was asked. */
type Checked = { route: Route; input: AnyInput; warnings: string[]; notes: string[] };

/** What was read of requests that nobody has answered yet, by the request as the server knows it. */
const handedOn = new WeakMap<object, RequestParts>();

/** Leaves what was read and checked of a request to whoever answers it in the end. What was refused is read anew. */
export function handOn(request: object, parts: RequestParts): void {
  if (parts.checked) handedOn.set(request, parts);
}

/** What was read of a request before; undefined when nothing was. */
export const takeOver = (request: object): RequestParts | undefined => handedOn.get(request);

/** A reading of a body that is done once, however often it is asked for. */
export function once(read: RequestParts['json']): RequestParts['json'] {
  let json: unknown;
  return (maxBytes) => {
    json ??= read(maxBytes);
    return json;
  };
}

/**
 * Checks what a request says against its route. Unknown keys come back as warnings; when the caller asked for strict
 * handling (RFC 7240) they are refused. What was checked before is not checked again. Throws 400, 413 or 415.
 */
export async function readInput(route: Route, parts: RequestParts): Promise<Checked> {
  if (parts.checked?.route === route) return parts.checked;
  const query = parts.query === '' ? {} : readQuery(route, new URLSearchParams(parts.query));
  refuseNul({ ...query, ...parts.params });
  const body = route.body && (await parts.json(route.bodyLimit ?? limits.body));
  const checks = [
    ['params', route.params, parts.params],
    ['query', route.query, query],
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
  parts.checked = { route, input: input as AnyInput, warnings, notes: route.notes?.(input as AnyInput) ?? [] };
  return parts.checked;
}

/** A parameter that stands twice says two things: which of them counts is not ours to choose. */
function readQuery({ query }: Route, params: URLSearchParams): Record<string, string> {
  const twice = Object.keys(query?.shape ?? {}).filter((name) => params.getAll(name).length > 1);
  if (twice.length > 0) throw invalid(twice.map((name) => `${name}: is given more than once`));
  return Object.fromEntries(params);
}

/** In an address a NUL character says nothing, and the database cannot look for it. */
function refuseNul(values: Record<string, string>): void {
  const names = Object.keys(values).filter((name) => values[name]?.includes('\0'));
  if (names.length > 0) throw invalid(names.map((name) => `${name}: must not contain a NUL character`));
}

/** Whether the caller would rather be refused than have unknown keys ignored. */
const isStrict = ({ headers }: Pick<RequestParts, 'headers'>): boolean =>
  /(^|[,;\s])handling\s*=\s*"?strict\b/i.test(headers.get('prefer') ?? '');

/** What an answer says of its request: unknown keys, notes, and that it was strict. 299 is the code of a lasting warning (RFC 7234). */
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
