import { limits } from './limits.ts';

/**
 * Names each text of a value (of a body, a query, or variables) that PostgreSQL cannot store: a NUL character, half of a
 * surrogate pair; each number that is too large and would be kept as null; and each key `__proto__`, which is nobody's
 * data. What nests deeper than a body may is named by itself: whatever goes through it would take long, or the stack.
 * Empty when all is well; at most 20 issues.
 */
export function findUnstorable(value: unknown): string[] {
  const issues: string[] = [];
  const waiting: [path: string, value: unknown, level: number][] = [['', value, 0]];
  for (let next = waiting.pop(); next && issues.length < 20; next = waiting.pop()) {
    const [path, item, level] = next;
    if (typeof item === 'string') note(issues, path || 'The value', faultOf(item));
    if (item === Infinity || item === -Infinity) note(issues, path || 'The value', 'is too large a number to be kept');
    if (typeof item !== 'object' || item === null) continue;
    if (level > limits.jsonLevels) return [`${path.slice(0, 200)} nests deeper than ${limits.jsonLevels} levels.`];
    const entries = Object.entries(item);
    for (const [key] of entries) {
      note(
        issues,
        `A key of ${path || 'the body'}`,
        key === '__proto__' ? 'is __proto__, which is refused' : faultOf(key),
      );
    }
    for (const [key, child] of entries.toReversed()) waiting.push([path ? `${path}.${key}` : key, child, level + 1]);
  }
  return issues;
}

function note(issues: string[], subject: string, fault: string | null): void {
  if (fault) issues.push(`${subject.slice(0, 200)} ${fault}.`);
}

function faultOf(text: string): string | null {
  if (text.includes('\0')) return 'contains a NUL character (\\u0000), which cannot be stored';
  if (!text.isWellFormed()) return 'contains half of a surrogate pair, which is not a character';
  return null;
}
