import { isObject } from '../core/json.ts';
import type { Node } from './references.ts';

/** Returns the base address of an operation's path, without a trailing slash; null if there is none. */
export function readServer(document: Node, item: Node, operation: Node, url: string): string | null {
  const servers = [operation.servers, item.servers, document.servers]
    .map((list) => (Array.isArray(list) ? list.filter(isObject) : []))
    .find((list) => list.length > 0) ?? [{ url: '/' }];
  const addresses = servers
    .map(filled)
    .filter(isWeb)
    .map((address) => baseOf(address, url));
  // No token is sent without TLS: of two that differ in it alone, the one with it.
  const secure = addresses[0]?.replace(/^http:/, 'https:');
  return addresses.find((address) => address === secure) ?? addresses[0] ?? null;
}

/** The address of a server with the values of its variables; null if it has none. */
function filled(server: Node): string | null {
  if (typeof server.url !== 'string') return null;
  const variables = isObject(server.variables) ? server.variables : {};
  const address = server.url.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : null;
    const value = isObject(variable)
      ? (variable.default ?? (Array.isArray(variable.enum) ? variable.enum[0] : null))
      : null;
    return String(value ?? whole);
  });
  // Empty means the root, and not the description itself.
  return address.trim() || '/';
}

/** Whether an address has no scheme but http and https. Others are passed over; a faulty one is not, but told. */
const isWeb = (address: string | null): boolean => !address || !/^(?!https?:)[a-z][a-z\d+.-]*:/i.test(address);

function baseOf(address: string | null, url: string): string | null {
  const parsed = address && URL.parse(address, url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) return null;
  // A remaining brace is a variable without a value.
  if (/\{|%7B/i.test(parsed.host + parsed.pathname)) return null;
  return parsed.origin + parsed.pathname.replace(/\/+$/, '');
}
