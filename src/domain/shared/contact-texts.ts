import { cnpj, cpf } from 'cpf-cnpj-validator';
import { z } from 'zod';
import { emailPattern, storedEmail } from '../../core/contacts/emails.ts';
import { storedPhone } from '../../core/contacts/phones.ts';

/** An email address, trimmed and in lower case, that the GraphQL scalar accepts too. */
export const emailText = z
  .string()
  .trim()
  .overwrite(storedEmail)
  .max(254)
  .refine((text) => emailPatterns.every((pattern) => pattern.test(text)), {
    error: 'must be an email address, such as ana@example.com',
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ format: 'email', examples: ['ana@example.com'] });
const emailPatterns = [emailPattern, z.regexes.html5Email];

/** A phone number in E.164. Without `+` and a country code it is parsed as a Brazilian one. */
export const phoneText = z
  .string()
  .trim()
  .max(60)
  .transform((text, { addIssue }): string => {
    const phone = storedPhone(text);
    if (phone) return phone;
    addIssue(
      'must be a phone number with its country code, such as +5511987654321; a number without + is read as Brazilian',
    );
    return z.NEVER;
  })
  .meta({ format: 'phone' });

/** A CPF with valid check digits, as its 11 digits. */
export const cpfText = z
  .string()
  .trim()
  .refine((text) => cpf.isValid(text, true), 'must be a CPF with valid check digits, such as 529.982.247-25')
  .transform((text) => cpf.strip(text));

/** A CNPJ with valid check digits, numeric or alphanumeric, as its 14 characters in upper case. */
export const cnpjText = z
  .string()
  .trim()
  .toUpperCase()
  .refine((text) => cnpj.isValid(text, true), 'must be a CNPJ with valid check digits, such as 12.ABC.345/01DE-35')
  .transform((text) => cnpj.strip(text));
