import { z } from 'zod';

/** `https://shop.example`, `https://*.shop.example`, and for pages on one's own machine any port: `http://localhost:*`. */
const shape = /^(https?):\/\/(\*\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(\d{1,5}|\*))?$/;
const ownMachine = new Set(['localhost', '127.0.0.1']);

/** Checks an origin that a widget may be embedded in, and writes it as browsers send it. */
const origin = z
  .string()
  .max(255, 'must have at most 255 characters')
  .transform((given) => normal(given.trim().toLowerCase()))
  .refine(
    isOrigin,
    'must be an origin, such as https://shop.example; https://*.shop.example stands for the names below it, and ' +
      'http://localhost:* for every port of a page on your own machine',
  );

/** The origins that a widget may be embedded in. */
export const originsInput = z.array(origin).max(50, 'must have at most 50 items');

/** Whether a page of this origin, as a browser names it in `Origin`, is one of those allowed. */
export const allowsOrigin = (allowed: string[], origin: string): boolean =>
  allowed.some((pattern) => fits(pattern, origin));

function fits(pattern: string, origin: string): boolean {
  const [, scheme, below, host = '', port] = shape.exec(pattern) ?? [];
  const [, givenScheme, wild, givenHost = '', givenPort] = shape.exec(origin) ?? [];
  if (wild || !givenScheme || givenScheme !== scheme) return false;
  if (port !== '*' && port !== givenPort) return false;
  return below ? givenHost.endsWith(`.${host}`) : givenHost === host;
}

function isOrigin(text: string): boolean {
  const [, , below, host = '', port] = shape.exec(text) ?? [];
  if (!host || (below && !host.includes('.'))) return false;
  return port === '*' ? !below && ownMachine.has(host) : Number(port ?? 1) <= 65_535;
}

/** Without the slash at its end and the port that its scheme has anyhow. */
const normal = (text: string): string =>
  text
    .replace(/\/$/, '')
    .replace(/^(http:\/\/.+):80$/, '$1')
    .replace(/^(https:\/\/.+):443$/, '$1');
