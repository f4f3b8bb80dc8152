import { isObject } from '../core/json.ts';
import type { Node } from './read-document.ts';

/** Returns the base address of an operation's path, without a trailing slash; null if there is none. */
export function readServer(document: Node, item: Node, operation: Node, url: string): string | null {
  const servers = [operation.servers, item.servers, document.servers].find(
    (list) => Array.isArray(list) && list.length > 0,
  ) as unknown[] | undefined;
  const server = servers?.find(isObject) ?? { url: '/' };
  if (typeof server.url !== 'string') return null;
  const variables = isObject(server.variables) ? server.variables : {};
  const address = server.url.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : null;
    return isObject(variable) && variable.default !== undefined ? String(variable.default) : whole;
  });
  const parsed = URL.parse(address, url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) return null;
  // A remaining brace is a variable without a value.
  if (/\{|%7B/i.test(parsed.pathname)) return null;
  return parsed.origin + parsed.pathname.replace(/\/+$/, '');
}
