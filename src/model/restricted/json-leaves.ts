import type { JsonValue } from '../types.ts';
import { type Grounds, groundsOf, type JudgedRequest } from './grounds.ts';

const maxIssues = 10;

/** The paths of values in a restricted agent's JSON that nothing backs. Values that the schema offers are accepted. */
export function unbackedLeaves(request: JudgedRequest, value: JsonValue): string[] {
  const offered = JSON.stringify(request.jsonSchema ?? {});
  return leavesOf(groundsOf(request), offered, value, '')
    .slice(0, maxIssues)
    .map(
      (path) => `${path || '/'}: rests on no passage, result of a tool or instruction, and on nothing that was said`,
    );
}

function leavesOf(grounds: Grounds, offered: string, value: JsonValue, path: string): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => leavesOf(grounds, offered, item, `${path}/${key}`));
  }
  if (value === null || typeof value === 'boolean' || offered.includes(JSON.stringify(value))) return [];
  return grounds.contains(String(value)) ? [] : [path];
}
