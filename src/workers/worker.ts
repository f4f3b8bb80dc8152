import cluster from 'node:cluster';
import type { Peers } from '../core/peers.ts';
import { Channel } from './channel.ts';

/** The argument that numbers a worker, from 1. */
export const numberFlag = '--worker=';

/** The primary waits for other workers for a second at most. In milliseconds. */
const publishMs = 2_000;

/** A worker's connection to its primary. */
export type Primary = {
  /** This worker's number, which its successor inherits. */
  number: number;
  channel: Channel;
  peers: Peers;
  /** Aborted when the primary is ending the service. */
  stop: AbortSignal;
  /** Resolves when a successor has taken over: to be ended once the work in flight is done. */
  replaced: Promise<void>;
};

/** Connects a worker to its primary; null in any other process. */
export function connectToPrimary(): Primary | null {
  if (!cluster.isWorker) return null;
  const channel = new Channel({
    send: (message) => void process.send?.(message, undefined, undefined, () => {}),
    onMessage: (listener) => process.on('message', listener),
  });
  const stop = new AbortController();
  const replaced = Promise.withResolvers<void>();
  channel.handle('stop', () => stop.abort());
  channel.handle('replaced', () => replaced.resolve());
  return {
    number: Number(process.argv.findLast((flag) => flag.startsWith(numberFlag))?.slice(numberFlag.length) ?? 1),
    channel,
    peers: peersOver(channel),
    stop: stop.signal,
    replaced: replaced.promise,
  };
}

/** The primary passes messages on to the other workers. */
function peersOver(channel: Channel): Peers {
  const handlers = new Map<string, (message: unknown) => void>();
  channel.handle('published', ({ topic, message }: { topic: string; message: unknown }) => {
    handlers.get(topic)?.(message);
  });
  return {
    async publish(topic, message) {
      await channel.request('publish', { topic, message }, publishMs).catch(() => {});
    },
    subscribe: (topic, handler) => void handlers.set(topic, handler),
  };
}
