import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';

/** The address is not reachable from the public internet, and was not connected to. */
export class PrivateAddress extends Error {
  override name = 'PrivateAddress';
}

// A public number, but served inside every Azure VM (its metadata and DNS service).
const insideClouds = new Set(['168.63.129.16']);

/**
 * Whether an address literal is public unicast. IPv4 mapped into IPv6 is judged as IPv4; what cannot be parsed is not
 * public.
 */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js takes the old form ::1.2.3.4 for ::ffff:1.2.3.4; the system does not.
  if (!ipaddr.isValid(address) || /^::\d+\./.test(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || insideClouds.has(parsed.toString())) return false;
  // Only 2000::/3 is allocated; the rest of "unicast" includes old forms such as ::7f00:1.
  return parsed instanceof ipaddr.IPv4 || ((parsed.parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** A DNS lookup that returns public addresses only, so that the address checked is the one connected to. */
export function publicLookup(lookup: typeof systemLookup): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const found = addresses.filter(({ address }) => isPublicAddress(address));
      const [first] = found;
      if (!first) return callback(new PrivateAddress(), []);
      return options.all ? callback(null, found) : callback(null, first.address, first.family);
    });
}

/**
 * Rejects with `PrivateAddress` if a URL names a host that is not public, where a proxy will connect to it. A name that
 * only the proxy can resolve is left to the proxy; `allowHosts` are exempt.
 */
export async function requirePublicHost(url: URL, allowHosts: string[], lookup = systemLookup): Promise<void> {
  const host = withoutBrackets(url.hostname);
  if (isAllowed(host, url.port, url.protocol, new Set(allowHosts.map((entry) => entry.toLowerCase())))) return;
  if (isIP(host) && !isPublicAddress(host)) throw new PrivateAddress();
  if (isIP(host)) return;
  await new Promise<void>((resolve, reject) =>
    publicLookup(lookup)(host, { all: true }, (error) => (error instanceof PrivateAddress ? reject(error) : resolve())),
  );
}

function isAllowed(host: string, givenPort: string | number, protocol: string, allowed: Set<string>): boolean {
  const port = givenPort || (protocol === 'https:' ? '443' : '80');
  const names = isIP(host) === 6 ? [host, `[${host}]`, `[${host}]:${port}`] : [host, `${host}:${port}`];
  return names.some((name) => allowed.has(name));
}

const withoutBrackets = (hostname: string) => hostname.replace(/^\[|\]$/g, '').toLowerCase();

/**
 * A connector for undici (`build` is undici's own) that connects to public addresses only; `allowHosts` (`host` or
 * `host:port`) are exempt. A lookup alone would not do: an address literal is never looked up.
 */
export function createPublicConnector(
  build: typeof buildConnector,
  allowHosts: string[],
  lookup = systemLookup,
): buildConnector.connector {
  const allowed = new Set(allowHosts.map((entry) => entry.toLowerCase()));
  const connectAnywhere = build({ timeout: 10_000, allowH2: false });
  const connectPublic = build({ timeout: 10_000, allowH2: false, lookup: publicLookup(lookup) });
  return (options, callback) => {
    const host = withoutBrackets(options.hostname);
    if (isAllowed(host, options.port, options.protocol, allowed)) return connectAnywhere(options, callback);
    if (isIP(host) && !isPublicAddress(host)) return callback(new PrivateAddress(), null);
    return connectPublic(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (isPublicAddress(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      return callback(new PrivateAddress(), null);
    });
  };
}
