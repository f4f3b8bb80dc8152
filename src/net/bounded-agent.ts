import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { Deadline } from './deadline.ts';
import { proxyEnv } from './proxy.ts';

/**
 * An agent of node:http that destroys the connection of a request which takes longer than `ms` milliseconds in all. The
 * timeout of node:http starts anew with every byte. Uses the proxy of `useProxy`, as the global agent does.
 */
export function boundedAgent(protocol: string, ms: number): Agent {
  const proxy = proxyEnv();
  const Base = protocol === 'https:' ? TlsAgent : Agent;
  const deadlines = new WeakMap<Duplex, Deadline>();
  const begin = (socket: Duplex) => {
    const deadline = new Deadline(ms);
    deadline.signal.addEventListener('abort', () => socket.destroy(deadline.signal.reason as Error));
    deadlines.set(socket, deadline);
  };
  const end = (socket: Duplex) => deadlines.get(socket)?.end();
  const watch = (socket: Duplex) => {
    begin(socket);
    socket.once('close', () => end(socket));
  };
  return new (class extends Base {
    override createConnection(...[options, done]: Parameters<Agent['createConnection']>) {
      // Of a tunnel, the connection to the proxy is returned; the tunnel in it is passed on once it stands.
      const socket = super.createConnection(options, (error, tunnel) => {
        if (tunnel) {
          if (socket) end(socket);
          watch(tunnel);
        }
        done?.(error, tunnel);
      });
      if (socket) watch(socket);
      if (socket && proxy) boundPieces(socket);
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
  })({ keepAlive: true, ...(proxy && { proxyEnv: proxy }) });
}

/**
 * Node 24 doubles its listeners with each piece of a proxy's answer to CONNECT, so a proxy that trickles takes all CPU.
 */
const maxReaders = 64;
function boundPieces(toProxy: Duplex): void {
  toProxy.on('newListener', (name) => {
    if (name === 'readable' && toProxy.listenerCount(name) >= maxReaders)
      toProxy.destroy(new Error('The proxy answers CONNECT in too many pieces'));
  });
}
