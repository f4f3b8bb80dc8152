import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';

/** The address is not one that anybody on the internet could reach: it was not connected to. */
export class PrivateAddress extends Error {
  override name = 'PrivateAddress';
}

// Public by its number, yet answered inside every Azure machine (its metadata and DNS service).
const insideClouds = new Set(['168.63.129.16']);

/** Whether an address literal is public unicast. IPv4 inside IPv6 is judged as IPv4; what cannot be read is not public. */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js takes the old form ::1.2.3.4 for ::ffff:1.2.3.4; the system does not.
  if (!ipaddr.isValid(address) || /^::\d+\./.test(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || insideClouds.has(parsed.toString())) return false;
  // Only 2000::/3 is given out; the rest of "unicast" holds old forms such as ::7f00:1.
  return parsed instanceof ipaddr.IPv4 || ((parsed.parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** A DNS lookup that answers public addresses only, so that what was checked is what is connected to. */
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

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '').toLowerCase();

/**
 * A connector for undici (`build` is its own) that opens sockets to public addresses only. `allowHosts` (`host` or
 * `host:port`) are exempt.
 * A lookup alone would be no guard: an address literal is never looked up.
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
    const host = bare(options.hostname);
    const port = options.port || (options.protocol === 'https:' ? '443' : '80');
    const names = isIP(host) === 6 ? [host, `[${host}]`, `[${host}]:${port}`] : [host, `${host}:${port}`];
    if (names.some((name) => allowed.has(name))) return connectAnywhere(options, callback);
    if (isIP(host) && !isPublicAddress(host)) return callback(new PrivateAddress(), null);
    return connectPublic(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (isPublicAddress(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      return callback(new PrivateAddress(), null);
    });
  };
}
