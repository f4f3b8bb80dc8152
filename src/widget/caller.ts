import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Services } from '../context.ts';
import type { HttpContext } from '../http/log/request-log.ts';

/**
 * Returns the address by which a caller is rate limited: that of the connection or, behind a trusted proxy, the last
 * one in `X-Forwarded-For` that is not a trusted proxy itself, which a visitor cannot forge. An IPv6 address counts as
 * its /64 network, since a household has all of it.
 */
export function createCallerOf(services: Pick<Services, 'config' | 'log'>): (c: HttpContext) => string {
  const addressOf = createAddressOf(services);
  return ({ env }) => {
    const { incoming } = (env ?? {}) as { incoming?: IncomingMessage };
    return incoming ? addressOf(incoming) : '';
  };
}

export type AddressOf = (request: IncomingMessage) => string;

/** Like `createCallerOf`, for a request of node:http. */
export function createAddressOf({ config, log }: Pick<Services, 'config' | 'log'>): AddressOf {
  const proxies = config.trustedProxies.map((range) => ipaddr.parseCIDR(range));
  const isProxy = (address: Address): boolean =>
    proxies.some(([net, bits]) => net.kind() === address.kind() && address.match(net, bits));
  let warned = false;

  // A connection has many requests: its own address is parsed once.
  const direct = new WeakMap<object, string>();
  return ({ socket, headers }) => {
    const named = headers['x-forwarded-for']?.toString();
    const known = named === undefined ? direct.get(socket) : undefined;
    if (known !== undefined) return known;
    const peer = read(socket.remoteAddress ?? '');
    if (!peer) return '';
    if (named === undefined) {
      const address = countedAs(peer);
      direct.set(socket, address);
      return address;
    }
    if (!isProxy(peer)) {
      if (named && peer.range() !== 'unicast' && !warned) {
        warned = true;
        log.warn(
          'X-Forwarded-For was sent by an address that is not in TRUSTED_PROXIES: all visitors behind it count as one address',
        );
      }
      return countedAs(peer);
    }
    let caller = peer;
    for (const text of named?.split(',').reverse() ?? []) {
      const address = read(text);
      if (!address) break;
      caller = address;
      if (!isProxy(address)) break;
    }
    return countedAs(caller);
  };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Parses an address as proxies write it, possibly with a port; null if invalid. IPv4 mapped into IPv6 becomes IPv4. */
function read(text: string): Address | null {
  const withoutPort = text.trim().replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
  return isIP(withoutPort) === 0 ? null : ipaddr.process(withoutPort);
}

function countedAs(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()}/64`;
}
