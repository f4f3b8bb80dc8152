import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Context } from 'hono';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Whether a browser on this very machine opened the page: the socket and the Host header are both loopback (a rebound
 * name has another Host), no proxy stands between, and no other site fetches or frames it. Then a page may hold a demo token.
 */
export function openedOnLoopback(c: Context): boolean {
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
  const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via', 'origin'];
  if (forwarded.some((name) => c.req.header(name) !== undefined)) return false;
  if (!['none', 'same-origin'].includes(c.req.header('sec-fetch-site') ?? 'none')) return false;
  return isLoopback(incoming?.socket.remoteAddress) && isLoopbackName(new URL(c.req.url).hostname);
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || isLoopback(name.replace(/^\[|\]$/g, ''));
}

function isLoopback(address: string | undefined): boolean {
  const family = isIP(address ?? '');
  return family !== 0 && loopback.check(address ?? '', family === 6 ? 'ipv6' : 'ipv4');
}
