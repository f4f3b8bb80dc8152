import { createRequire } from 'node:module';
import type * as library from 'libphonenumber-js/max';

type Phones = typeof library;

let loaded: Phones | undefined;

/** libphonenumber with the full metadata. Loaded on first use, to keep the start fast. */
export const phones = (): Phones => (loaded ??= createRequire(import.meta.url)('libphonenumber-js/max') as Phones);

/** What directs text on a screen, and comes along when a number is copied. */
const marks = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u061c]/g;
const address =
  /^\s*(?:(?:tel|sms|callto|whatsapp):(?:\/\/)?|https?:\/\/(?:wa\.me\/|api\.whatsapp\.com\/send\?phone=))/i;

/**
 * Returns a phone number in E.164; null if it is none. Without `+` and a country code it is read as Brazilian.
 * Messengers send numbers of Brazil and Mexico as they were before both changed their form: they are stored in today's.
 */
export function storedPhone(text: string): string | null {
  const plain = text
    .replace(marks, '')
    .replace(address, '')
    .replace(/@(?:s\.whatsapp\.net|c\.us)$|;(?:ext|phone-context)=[^]*$/i, '')
    .trim();
  const international = plain.replace(/^00\s?/, '+');
  // One after the other: most texts are a number as they are, and to parse another that is none takes longer.
  for (const each of new Set([international, plain, `+${plain}`])) {
    const number = parsed(each);
    if (number !== null) return number;
  }
  return null;
}

function parsed(text: string): string | null {
  if (!/\p{Nd}/u.test(text)) return null;
  const read = (given: string) => phones().parsePhoneNumberFromString(given, { defaultCountry: 'BR', extract: false });
  const phone = read(text);
  if (!phone || phone.isValid()) return phone?.number ?? null;
  const today = phone.number.replace(/^(\+55[1-9]\d)([6-9]\d{7})$/, '$19$2').replace(/^\+521(\d{10})$/, '+52$1');
  return today !== phone.number && read(today)?.isValid() ? today : null;
}
