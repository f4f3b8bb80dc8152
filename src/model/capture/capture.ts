import { phones } from '../../core/phones.ts';
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

function phoneIn(text: string): string | undefined {
  const plain = otherNumbers.reduce((rest, pattern) => rest.replace(pattern, ' | '), text);
  const brazilian = phones()
    .findPhoneNumbersInText(plain, 'BR')
    .find(({ number }) => number.isValid());
  if (brazilian) return brazilian.number.number;
  const american = phones()
    .findPhoneNumbersInText(plain, 'US')
    .find(({ number, startsAt, endsAt }) => number.isValid() && /\d[\s.()-]+\d/.test(plain.slice(startsAt, endsAt)));
  return american?.number.number;
}
