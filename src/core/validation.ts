import type { z } from 'zod';

type Checked<Schema extends z.ZodType> = { data: z.output<Schema>; issues: null } | { data: null; issues: string[] };

/**
 * Checks a value against a schema, for both requests and rules of the domain. Returns one issue per line, each starting
 * with the key or, where the value as a whole is wrong, with `name` if given.
 */
export function checkValue<Schema extends z.ZodType>(schema: Schema, value: unknown, name = ''): Checked<Schema> {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return { data: parsed.data, issues: null };
  const issues = parsed.error.issues.slice(0, maxIssues).flatMap((issue) => issueText(issue, name));
  return { data: null, issues: issues.slice(0, maxIssues) };
}

/** How many issues of one value are reported. */
const maxIssues = 100;

/** Keys chosen by callers may have any length: messages repeat at most this many characters. */
const maxKeyLength = 100;
const pathOf = (path: PropertyKey[]) => path.map((key) => String(key).slice(0, maxKeyLength)).join('.');

function issueText(issue: z.core.$ZodIssue, name: string): string[] {
  const path = pathOf(issue.path);
  const location = path || name;
  if (issue.code !== 'unrecognized_keys') return [location ? `${location}: ${issue.message}` : issue.message];
  return issue.keys.slice(0, maxIssues).map((key) => `${pathOf([...issue.path, key])}: is unknown`);
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Messages for callers; all other issues keep the schema's own message, or zod's. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type') return `must be ${typeNames[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_big') return bound('most', issue.origin, issue.maximum);
  if (issue.code === 'too_small') return bound('least', issue.origin, issue.minimum);
  return undefined;
}

/** A count as texts write it: 50,000. */
export const grouped = (count: number | bigint): string => count.toLocaleString('en-US');

const countedUnits: Record<string, string> = { string: 'characters', array: 'items' };

function bound(end: 'most' | 'least', origin: string, limit: number | bigint): string {
  const unit = countedUnits[origin];
  if (unit) return `must have at ${end} ${grouped(limit)} ${unit}`;
  return `must be ${limit} or ${end === 'most' ? 'less' : 'more'}`;
}
