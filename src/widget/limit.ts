import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { ParleyError } from '../errors.ts';

/** So many within so many milliseconds. */
type Allowance = { count: number; withinMs: number };

/** What a minute allows. It is counted in this process: with several replicas, each allows as much. */
export const allowances = {
  /** Visitors let in, by network address: a page that is loaded lets one in. */
  enter: { count: 60, withinMs: 60_000 },
  /** Questions of one visitor, of one network address, and of all visitors of one channel. */
  visitor: { count: 15, withinMs: 60_000 },
  address: { count: 60, withinMs: 60_000 },
  channel: { count: 600, withinMs: 60_000 },
  /** Whatever else a visitor asks for. */
  other: { count: 120, withinMs: 60_000 },
} as const satisfies Record<string, Allowance>;

export type Limiter = ReturnType<typeof createLimiter>;

/** Counts in windows, so that a publishable token is no open bill. `size` bounds how much is remembered. */
export function createLimiter({ now, size = 20_000 }: { now: () => Date; size?: number }) {
  const windows = new Map<string, { endsAt: number; count: number }>();

  /** Counts one more. Throws 429 `rate_limited` when that is too many. */
  return function take(what: keyof typeof allowances, who: string): void {
    const { count, withinMs } = allowances[what];
    const key = `${what} ${who}`;
    const time = now().getTime();
    const known = windows.get(key);
    const window = known && known.endsAt > time ? known : { endsAt: time + withinMs, count: 0 };
    windows.delete(key);
    windows.set(key, window);
    const oldest = windows.size > size && windows.keys().next().value;
    if (oldest) windows.delete(oldest);
    window.count += 1;
    if (window.count <= count) return;
    const seconds = Math.ceil((window.endsAt - time) / 1000);
    throw new ParleyError('rate_limited', `Too many requests: try again in ${seconds} seconds.`, {
      headers: { 'retry-after': String(seconds) },
    });
  };
}

const inner = new BlockList();
for (const [net, bits] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  inner.addSubnet(net, bits, 'ipv4');
}
inner.addAddress('::1', 'ipv6');
inner.addSubnet('fc00::', 7, 'ipv6');

/**
 * The network address of a caller: of the connection, or, when a proxy of one's own network holds it, the last one that
 * `X-Forwarded-For` names, which that proxy has written. A visitor cannot choose it.
 */
export function addressOf(incoming: IncomingMessage | undefined, forwardedFor: string | undefined): string {
  const peer = (incoming?.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const family = isIP(peer);
  const behindProxy = family === 0 || inner.check(peer, family === 6 ? 'ipv6' : 'ipv4');
  const named = forwardedFor?.split(',').at(-1)?.trim() ?? '';
  return behindProxy && isIP(named) !== 0 ? named : peer;
}
