import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { invalid } from './errors.ts';

/** RFC 9112, 3.2: what is before the gateway may have read another of them. Node keeps the first. */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

export const hostFaults = {
  several: invalid('The request has several Host headers: send one.'),
  missing: invalid('The Host header is missing: send the name of the host in it.'),
  wrong: invalid('The Host header is not the name of a host, such as example.com or 127.0.0.1:4000.'),
};

/** What is wrong with the Host header of a request, or null. HTTP/1.0 has none. */
export function hostFault(request: IncomingMessage): string | null {
  if (hasSeveralHosts(request)) return hostFaults.several.message;
  const { host } = request.headers;
  const isMissing = host === undefined && request.httpVersion !== '1.0';
  const isWrong = host !== undefined && !(/^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`));
  if (isMissing) return hostFaults.missing.message;
  return isWrong ? hostFaults.wrong.message : null;
}

/**
 * Whether nobody else can point this name at the machine: it is an IP address, localhost, or the name in HOST. A page
 * of any other one may have been rebound here (DNS rebinding), and its browser takes the answer for the page's own.
 */
export const isOwnName = (name: string, host: string): boolean =>
  name === 'localhost' || name === host.toLowerCase() || isIP(name.replace(/^\[|\]$/g, '')) !== 0;

/** Whether a request reached the machine from itself, under a name that somebody else may have pointed there. */
export function isRebound({ socket, headers }: IncomingMessage, host: string): boolean {
  const isLocal = /^(::ffff:)?127\.|^::1$/.test(socket.localAddress ?? '');
  const name = URL.parse(`http://${headers.host ?? 'localhost'}`)?.hostname ?? '';
  return isLocal && !isOwnName(name, host);
}
