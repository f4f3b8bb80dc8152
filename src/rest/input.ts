import type { z } from 'zod';
import { readJson } from '../http/body.ts';
import { invalid } from '../errors.ts';
import type { Input, Route } from './route.ts';
import { describe, unknownKeys } from './unknown-keys.ts';

const defaultBodyLimit = 1_000_000;
type AnyInput = Input<undefined, undefined, undefined>;

/**
 * Checks what a request says against its route. Unknown keys come back as warnings; when the caller asked for strict
 * handling (RFC 7240) they are refused. Throws 400, 413 or 415.
 */
export async function readInput(
  route: Route,
  request: Request,
  pathValues: Record<string, string>,
): Promise<{ input: AnyInput; warnings: string[] }> {
  const query = readQuery(new URL(request.url).searchParams);
  const body = route.body ? await readJson(request, route.bodyLimit ?? defaultBodyLimit) : undefined;
  const parts = [
    ['params', route.params, pathValues],
    ['query', route.query, query],
    ['body', route.body, body ?? {}],
  ] as const;
  const issues: string[] = [];
  const input: Record<string, unknown> = { headers: request.headers };
  for (const [name, schema, value] of parts) input[name] = schema ? check(schema, value, issues) : {};
  const warnings = [
    ...(route.query ? unknownKeys(route.query, query) : Object.keys(query).map((path) => ({ path, nearest: null }))),
    ...(route.body ? unknownKeys(route.body, body) : []),
  ].map(describe);
  if (isStrict(request)) issues.push(...warnings);
  if (issues.length > 0) throw invalid(issues);
  return { input: input as AnyInput, warnings };
}

function check(schema: z.ZodObject, value: unknown, issues: string[]): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    issues.push(issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : `body: ${issue.message}`);
  }
  return {};
}

function readQuery(params: URLSearchParams): Record<string, string> {
  const nul = [...params].find(([key, value]) => key.includes('\0') || value.includes('\0'));
  if (nul) throw invalid(`${nul[0].replaceAll('\0', '')}: must not hold a NUL character.`);
  return Object.fromEntries(params);
}

const isStrict = ({ headers }: Request) => /(^|[,;\s])handling\s*=\s*"?strict\b/i.test(headers.get('prefer') ?? '');
