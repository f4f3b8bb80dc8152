import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { Deadline } from './deadline.ts';
import { type ProxySettings, proxyEnvOf } from './proxy.ts';

/**
 * An agent of node:http that destroys the connection of a request which takes longer than `ms` milliseconds in all. The
 * timeout of node:http starts anew with every byte. The global proxy is that of the global agent alone.
 */
export function boundedAgent(protocol: string, ms: number, proxy: ProxySettings | null): Agent {
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
      // A tunnel of a proxy is not returned, but passed on once it stands.
      const socket = super.createConnection(options, (error, tunnel) => {
        if (tunnel) watch(tunnel);
        done?.(error, tunnel);
      });
      if (socket) watch(socket);
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
  })({ keepAlive: true, ...(proxy && { proxyEnv: proxyEnvOf(proxy) }) });
}
