import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * Returns an email address in lower case, as it is stored and compared. Only ASCII letters are changed: Unicode also
 * maps other characters to plain letters (the Kelvin sign to k), so one person's address could become another's.
 */
const lowerCaseEmail = (email: string): string => email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * Returns an email address as it is stored: in lower case, and with its domain as computers write it, since mail
 * programs send both `ana@müller.de` and `ana@xn--mller-kva.de`. A domain that is none is left to be refused.
 */
export function storedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  if (at < 0 || !/[^\0-\x7f]/.test(domain)) return lowerCaseEmail(email);
  return lowerCaseEmail(email.slice(0, at + 1)) + (domainToASCII(domain) || domain);
}

/**
 * A stored email address as people search for it: as it is, and with its domain as people write it, if that differs.
 */
export function searchedEmails(email: string | null | undefined): string[] {
  if (!email) return [];
  const at = email.lastIndexOf('@') + 1;
  const written = email.includes('xn--', at) ? domainToUnicode(email.slice(at)) : '';
  return written ? [email, email.slice(0, at) + written] : [email];
}

/** The form of a stored email address; unlike zod's, its domain may end in punycode (`.рф`). */
export const emailPattern =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:[A-Za-z]{2,}|xn--[A-Za-z0-9-]*[A-Za-z0-9])$/;
