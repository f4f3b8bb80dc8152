import type { CountryCode, NumberFound } from 'libphonenumber-js';
import { phones } from '../../core/contacts/phones.ts';
import { captureName } from './capture-name.ts';

/** Contact details that a visitor states; a key is present only if it was stated. */
export type Contact = { name?: string; email?: string; phone?: string };

const emailPattern =
  /(?<![\w.%+@-])[a-z0-9](?:[\w.%+-]{0,62}[\w%+-])?@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}(?![\w@])/gi;

/** Numbers that look like phone numbers but are not: documents, orders, dates, prices, URLs. */
const otherNumbers = [
  /https?:\/\/\S+/gi,
  /\b\d{3}\.\d{3}\.\d{3}-\d{2}\b/g,
  /\b[\dA-Z]{2}\.[\dA-Z]{3}\.[\dA-Z]{3}\/[\dA-Z]{4}-\d{2}\b/gi,
  /\b(?:cpf|cnpj|rg|cep|order|invoice|ticket|protocol|protocolo|pedido|nota|conta|account|code|c[óo]digo|boleto|id|orden|factura)\b[\s:#nº°.é-]{0,12}[\d./-]*\d/gi,
  /#\s?\d+/g,
  /(?:R\$|US\$|\$|€)\s?[\d.,]+/g,
  /\b\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}\b(?!\d)/g,
];

/**
 * Returns the name, email and phone (E.164) that a visitor plainly states about themself, in English, Portuguese or
 * Spanish. Conservative: anything doubtful is left out. A phone number without a country code is read as Brazilian or,
 * if it is written in groups, as one of the United States.
 */
export function captureContact(text: string): Contact {
  const emails = text.match(emailPattern) ?? [];
  const email = emails[0]?.toLowerCase();
  const phone = phoneIn(text.replace(emailPattern, ' '));
  const name = captureName(text.replace(emailPattern, '@'), { reachable: Boolean(email ?? phone) });
  return { ...(name && { name }), ...(email && { email }), ...(phone && { phone }) };
}

/** Stretches of what a phone number is written with. */
const numberStretch = /[\p{Nd}\p{Pd}+()[\].:/~x（）［］．／＋−~⁓∼～ \t\u00a0\u00ad\u200b\u2060\u3000]+/giu;
/** The shortest phone number with its country code. */
const minDigits = 7;
/** How many other numbers are tried before a text is given up, at some 20 µs each. */
const maxTries = 200;

function phoneIn(text: string): string | undefined {
  const plain = otherNumbers
    .reduce((rest, pattern) => rest.replace(pattern, ' | '), text)
    .replace(numberStretch, (stretch) => ((stretch.match(/\p{Nd}/gu)?.length ?? 0) < minDigits ? ' ' : stretch));
  return firstPhone(plain, 'BR', () => true) ?? firstPhone(plain, 'US', (written) => /\d[\s.()-]+\d/.test(written));
}

/** The first phone number of a text, of those whose writing is `accepted`. */
function firstPhone(text: string, country: CountryCode, accepted: (written: string) => boolean): string | undefined {
  // The types of the library lack maxTries.
  const options = { defaultCountry: country, maxTries, v2: true } as const;
  const matcher = new (phones().PhoneNumberMatcher)(text, options);
  while (matcher.hasNext()) {
    const { number, startsAt, endsAt } = matcher.next() as NumberFound;
    if (number.isValid() && accepted(text.slice(startsAt, endsAt))) return number.number;
  }
}
