import type { Config } from '../config/config.ts';
import { defaultReadingAllowance, type ReadingAllowance } from './connections.ts';
import { type BodyAllowance, defaultBodyAllowance } from './unfinished-bodies.ts';

/**
 * The limits on bodies in flight of each worker: its part of those of the whole gateway, since connections are given to
 * workers in turn. That of a single address is rounded up.
 */
export function bodyAllowance(workers: number): Partial<BodyAllowance> {
  const { count, bytes, slowPerAddress } = defaultBodyAllowance;
  const part = (whole: number) => Math.ceil(whole / workers);
  return { count: part(count), bytes: part(bytes), slowPerAddress: part(slowPerAddress) };
}

/** The limits on what clients leave unread, of each worker. */
export const readingAllowance = ({ unreadTimeoutMs, workers }: Config): Partial<ReadingAllowance> => ({
  idleMs: unreadTimeoutMs,
  bytes: Math.ceil(defaultReadingAllowance.bytes / workers),
});
