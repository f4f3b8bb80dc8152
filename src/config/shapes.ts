import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { serverUrlProblem } from '../core/server-urls.ts';

export const flag = z.stringbool({ truthy: ['true', '1', 'yes', 'on'], falsy: ['false', '0', 'no', 'off'] });
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .transform(Number)
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    });
export const host = z
  .string()
  .refine((name) => isIPv6(name) || /^(?:\[[\da-f:.]+\]|[^\s/:@[\]]+)(?::\d{1,5})?$/i.test(name), {
    error: 'must be host or host:port, comma-separated, without a scheme or a path',
  });
/** An IP address or a CIDR network, normalized to CIDR. */
export const network = z
  .string()
  .transform((given) => (given.includes('/') ? given : `${given}/${isIPv6(given) ? 128 : 32}`))
  .refine((given) => isIP(given.split('/')[0] ?? '') !== 0 && ipaddr.isValidCIDR(given), {
    error: 'must be addresses or networks such as 10.0.0.0/8, comma-separated',
  });

/** The URL of a PostgreSQL server, or of several of which one is the primary. */
export const serverUrl = z.string().superRefine((text, context) => {
  const message = serverUrlProblem(text);
  if (message) context.addIssue({ code: 'custom', message });
});

/** A day, as its first moment in UTC. */
export const day = z.iso.date({ error: 'must be a date such as 2027-06-30' }).transform((text) => new Date(text));
