import { limits } from './limits.ts';

/** Integers beyond 2^53 have 16 digits at least. */
const mayBeInexact = /\d{16}/;

/**
 * `JSON.parse`, but integers that a double does not hold exactly become infinite: they would be kept as another number
 * than was sent, and `findUnstorable` refuses them like those that are too large altogether.
 */
export const parseJson = (text: string): unknown =>
  mayBeInexact.test(text) ? JSON.parse(text, withoutInexact) : JSON.parse(text);

function withoutInexact(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? '';
  if (typeof value !== 'number' || !Number.isFinite(value) || !/^-?\d+$/.test(source)) return value;
  // JSON that was written from a double has its shortest digits.
  if (Number.isSafeInteger(value) || String(value) === source || BigInt(source) === BigInt(value)) return value;
  return value < 0 ? -Infinity : Infinity;
}

/**
 * Returns an issue for each part of a JSON value that cannot be stored: strings with a NUL character or a lone
 * surrogate, numbers too large for a double, which would become null or another one, and keys named `__proto__`. If the
 * value nests too deeply, that is the only issue, since traversing it may take long or overflow the stack. Empty if the
 * value is valid; at most 20 issues.
 */
export function findUnstorable(value: unknown): string[] {
  return isStorable(value, 0) ? [] : issuesOf(value);
}

/** Checks without collecting issues: nearly all values are valid. */
function isStorable(value: unknown, level: number): boolean {
  if (typeof value === 'string') return faultOf(value) === null;
  if (typeof value === 'number') return !isTooLarge(value);
  if (typeof value !== 'object' || value === null) return true;
  if (level > limits.jsonLevels) return false;
  if (Array.isArray(value)) return value.every((item) => isStorable(item, level + 1));
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    if (key === '__proto__' || faultOf(key) !== null) return false;
    if (!isStorable((value as Record<string, unknown>)[key], level + 1)) return false;
  }
  return true;
}

const isTooLarge = (value: unknown): boolean => value === Infinity || value === -Infinity;

function issuesOf(value: unknown): string[] {
  const issues: string[] = [];
  const stack: [path: string, value: unknown, level: number][] = [['', value, 0]];
  for (let next = stack.pop(); next && issues.length < 20; next = stack.pop()) {
    const [path, item, level] = next;
    if (typeof item === 'string') addIssue(issues, path || 'The value', faultOf(item));
    if (isTooLarge(item))
      addIssue(issues, path || 'The value', 'is a number too large to store exactly: send it as text');
    if (typeof item !== 'object' || item === null) continue;
    if (level > limits.jsonLevels)
      return [`${path.slice(0, 200)} nests deeper than ${limits.jsonLevels} levels: send what is deeper as a string.`];
    const entries = Object.entries(item);
    for (const [key] of entries) {
      addIssue(
        issues,
        `A key of ${path || 'the body'}`,
        key === '__proto__' ? 'is __proto__, which is not allowed' : faultOf(key),
      );
    }
    for (const [key, child] of entries.toReversed()) stack.push([path ? `${path}.${key}` : key, child, level + 1]);
  }
  return issues;
}

function addIssue(issues: string[], subject: string, fault: string | null): void {
  if (fault) issues.push(`${subject.slice(0, 200)} ${fault}.`);
}

/** Why a text cannot be stored, as the end of a sentence; null if it can. */
export function faultOf(text: string): string | null {
  if (text.includes('\0')) return 'contains a NUL character (\\u0000), which cannot be stored';
  if (!text.isWellFormed()) return 'contains an unpaired surrogate, which is not a character';
  return null;
}
