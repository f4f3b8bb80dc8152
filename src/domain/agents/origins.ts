import { isIP } from 'node:net';
import { z } from 'zod';

/** Validates an origin that may embed a widget, and normalizes it to what browsers send. */
const origin = z
  .string()
  .max(255)
  .transform((value, check) => {
    const pattern = readOrigin(value.trim());
    if (pattern && isUsable(pattern)) return written(pattern);
    check.addIssue(
      'must be an origin, such as https://shop.example; https://*.shop.example matches its subdomains, and ' +
        'http://localhost:* for any port of your own machine',
    );
    return z.NEVER;
  });

/** The origins that may embed a widget. */
export const originsInput = z.array(origin).max(50);

/** Whether one of the allowed patterns matches an `Origin` header. */
export function allowsOrigin(allowed: string[], origin: string): boolean {
  const value = readOrigin(origin);
  return value !== null && !value.below && value.port !== '*' && allowed.some((pattern) => fits(pattern, value));
}

/** `port`: empty for the scheme's default, `*` for any. `below`: matches the subdomains of the host. */
type Origin = { scheme: string; below: boolean; host: string; port: string };

const ownMachine = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Parses an origin by the URL standard: host names in punycode, normalized addresses, no default port. Null if invalid.
 */
function readOrigin(text: string): Origin | null {
  const anyPort = /:\*\/?$/.test(text);
  const [, scheme = '', wild, rest = ''] = /^(https?:\/\/)(\*\.)?(.*)$/i.exec(text.replace(/:\*\/?$/, '')) ?? [];
  const url = URL.parse(scheme + rest);
  const host = url?.hostname ?? '';
  if (!url || url.origin !== url.href.replace(/\/$/, '') || !/^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:]+\])$/.test(host))
    return null;
  if (anyPort && /:\d+$/.test(rest)) return null;
  return { scheme: url.protocol, below: wild !== undefined, host, port: anyPort ? '*' : url.port };
}

const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/** `*` may stand for the subdomains of a registrable name, or for the ports of the local machine. */
const isUsable = ({ below, host, port }: Origin): boolean =>
  (!below || (host.includes('.') && !isAddress(host))) && (port !== '*' || (!below && ownMachine.has(host)));

const written = ({ scheme, below, host, port }: Origin): string =>
  `${scheme}//${below ? '*.' : ''}${host}${port && `:${port}`}`;

function fits(pattern: string, value: Origin): boolean {
  const allowed = readOrigin(pattern);
  if (allowed?.scheme !== value.scheme || (allowed.port !== '*' && allowed.port !== value.port)) return false;
  return allowed.below ? value.host.endsWith(`.${allowed.host}`) : value.host === allowed.host;
}
