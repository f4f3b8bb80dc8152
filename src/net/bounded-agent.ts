import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { Deadline } from './deadline.ts';

/**
 * An agent of node:http that destroys the connection of a request which takes longer than `ms` milliseconds in all. The
 * timeout of node:http starts anew with every byte.
 */
export function boundedAgent(protocol: string, ms: number): Agent {
  const Base = protocol === 'https:' ? TlsAgent : Agent;
  const deadlines = new WeakMap<Duplex, Deadline>();
  const begin = (socket: Duplex) => {
    const deadline = new Deadline(ms);
    deadline.signal.addEventListener('abort', () => socket.destroy(deadline.signal.reason as Error));
    deadlines.set(socket, deadline);
  };
  const end = (socket: Duplex) => deadlines.get(socket)?.end();
  return new (class extends Base {
    override createConnection(...given: Parameters<Agent['createConnection']>) {
      const socket = super.createConnection(...given);
      if (socket) {
        begin(socket);
        socket.once('close', () => end(socket));
      }
      return socket;
    }
    override keepSocketAlive(socket: Duplex) {
      end(socket);
      return super.keepSocketAlive(socket);
    }
    override reuseSocket(...given: Parameters<Agent['reuseSocket']>) {
      begin(given[0]);
      super.reuseSocket(...given);
    }
  })({ keepAlive: true });
}
