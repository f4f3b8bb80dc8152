import { cnpj, cpf } from 'cpf-cnpj-validator';
import type { FieldType } from '../../database/generated/prisma/enums.ts';
import { fold } from '../../text/fold.ts';
import type { JsonValue } from '../types.ts';
import { captureContact } from './capture.ts';
import { foldInPlace, type ReadMessage, readMessage, type StatedValue, statementsOf } from './stated-values.ts';

/** A field whose value is to be captured. `id` is set for custom fields only; `options` are those of a choice. */
export type WantedField = { id?: string; name: string; type: FieldType; description: string; options: string[] };

/**
 * Returns the field values that a visitor plainly states, keyed by field name, in English, Portuguese or Spanish: a
 * value after the field's name ("Budget: 5,000", "meu orçamento é 5.000"), an option, a CPF or CNPJ. Conservative:
 * anything doubtful is left out. Values have the type of their field, but are not checked against its other rules.
 */
export function captureFields(text: string, fields: WantedField[]): Record<string, JsonValue> {
  const message = readMessage(text);
  const found = fields.flatMap((field) => {
    const value = readers[field.type](message, field, fields);
    return value === undefined || value === '' ? [] : [[field.name, value] as const];
  });
  return Object.fromEntries(found);
}

type Read = (message: ReadMessage, field: WantedField, fields: WantedField[]) => JsonValue | undefined;

/** Reads the first statement of a field that `read` can make sense of. */
const fromStated =
  (read: (read: StatedValue, field: WantedField) => JsonValue | undefined): Read =>
  (message, field, fields) => {
    for (const stated of statementsOf(message, field.name, fields)) {
      const value = read(stated, field);
      if (value !== undefined) return value;
    }
  };

/** How far after the name of its field an email or a phone number is looked for. */
const maxContactLength = 300;

const readers: Record<FieldType, Read> = {
  // "My company is hiring" states no name: without a colon, the value must start as names and addresses do.
  text: fromStated(({ plainly, marked, value }) => (plainly && (marked || named.test(value)) ? value : undefined)),
  email: fromStated(({ rest }) => captureContact(rest.slice(0, maxContactLength)).email),
  phone: fromStated(({ rest }) => captureContact(rest.slice(0, maxContactLength)).phone),
  number: fromStated((stated) => numberIn(stated)),
  url: fromStated(({ rest }) =>
    /^\W{0,3}((?:https?:\/\/|www\.)[^\s<>"]{3,500})/i.exec(rest)?.[1]?.replace(/[.,;)]+$/, ''),
  ),
  boolean: fromStated(({ value, plainly }) => (plainly ? booleanIn(value) : undefined)),
  date: fromStated(({ rest }) => dateIn(rest)),
  choice: (message, field, fields) => {
    const optionAfter = fromStated(({ value, plainly }, { options }) =>
      plainly ? onlyOption(namedOptions(readMessage(value), options)) : undefined,
    );
    return optionAfter(message, field, fields) ?? onlyOption(namedOptions(message, field.options, { anywhere: true }));
  },
  multi_choice: (message, field) => {
    const named = namedOptions(message, field.options, { anywhere: true });
    return named.length > 0 ? named : undefined;
  },
  cpf: document(/(?<![\dA-Z.-])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?![\dA-Z])/gi, 'cpf', (text) => cpf.isValid(text, true)),
  cnpj: document(
    /(?<![\dA-Z.-])[\dA-Z]{2}\.?[\dA-Z]{3}\.?[\dA-Z]{3}\/?[\dA-Z]{4}-?\d{2}(?![\dA-Z])/gi,
    'cnpj',
    (text) => cnpj.isValid(text.toUpperCase(), true),
  ),
};

const named = /^(?:[\p{Lu}\p{Lo}\d]|\S+\.\p{Ll}{2,}(?:\/|$))/u;

const onlyOption = (options: string[]): string | undefined => (options.length === 1 ? options[0] : undefined);

/** A document number with valid check digits, if it is punctuated or the text names the document. */
function document(pattern: RegExp, kind: 'cpf' | 'cnpj', isValid: (text: string) => boolean): Read {
  return (message, field, fields) => {
    const { text } = message;
    const several = fields.filter(({ type }) => type === kind).length > 1;
    const named = new RegExp(`\\b${kind}\\b`, 'i').test(text);
    const excerpts = several ? statementsOf(message, field.name, fields).map(({ rest }) => rest.slice(0, 40)) : [text];
    const found = excerpts.flatMap((excerpt) => excerpt.match(pattern) ?? []);
    const valid = found.filter((match) => (named || several || /\D\d{2}$/.test(match)) && isValid(match));
    return new Set(valid).size === 1 ? valid[0] : undefined;
  };
}

const amount =
  /^(?:R\$|US\$|\$|€|£)?\s{0,2}(-?\d[\d.,]{0,20})\s{0,2}(k|mil|thousand|mi|million|milhao|milhoes|millones|millon)?(?![\p{L}\d])(?!\s{0,2}(?:[-–]|to|a|ate|hasta)\s{0,2}\d)/iu;

/** "5.000,50", "5,000.50", "12k", "3 mil"; undefined if it is unclear where the number ends. */
function numberIn({ rest, before }: StatedValue): number | undefined {
  const match = amount.exec(fold(rest.slice(0, 60))) ?? amount.exec(fold(before));
  if (!match) return undefined;
  const digits = match[1]?.replace(/[.,]+$/, '') ?? '';
  const times = /^k|^mil$|thousand/.test(match[2] ?? '') ? 1e3 : match[2] ? 1e6 : 1;
  const value = Number(plainNumber(digits)) * times;
  return Number.isFinite(value) ? value : undefined;
}

/** With two kinds of separators the last is the decimal one; with one kind, three digits after it mean thousands. */
function plainNumber(digits: string): string {
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last < 0) return digits;
  const mark = digits[last] ?? '';
  const other = mark === '.' ? ',' : '.';
  const grouped = !digits.includes(other) && (digits.split(mark).length > 2 || /^\d{3}$/.test(digits.slice(last + 1)));
  return grouped ? digits.replaceAll(mark, '') : digits.replaceAll(other, '').replace(mark, '.');
}

function booleanIn(value: string): boolean | undefined {
  const word = /^[\p{L}]+/u.exec(fold(value))?.[0] ?? '';
  if (['yes', 'sim', 'si', 'true', 'verdadeiro'].includes(word)) return true;
  return ['no', 'nao', 'false', 'falso'].includes(word) ? false : undefined;
}

/** An ISO date, or one with the day first, as is usual in all supported locales but the USA. */
function dateIn(rest: string): string | undefined {
  const iso = /^\D{0,6}(\d{4})-(\d{2})-(\d{2})(?!\d)/.exec(rest);
  if (iso) return `${iso[1]}-${iso[2]}-${iso[3]}`;
  const [, day = '', month = '', year = ''] = /^\D{0,6}(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?!\d)/.exec(rest) ?? [];
  if (!year || Number(month) > 12 || Number(day) > 31) return undefined;
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** Precedes something that is ruled out. */
const negation =
  /(?:\b(?:not|never|don't|dont|without|except|nao|não|nunca|sem|exceto|sin|excepto)\s{1,3}(?:\p{L}+\s{1,3}){0,2}|\bno\s{1,3}(?:quiero\s|me\s|el\s|la\s)?\s{0,2}|(?:instead of|rather than|em vez d[eoa]s?|en vez de|en lugar de)\s{1,3}(?:\p{L}+\s{1,3})?)$/iu;
/** Words too common to identify an option. */
const common = new Set('yes no sim nao si other others outro outra otro otra none all any the one two'.split(' '));

/**
 * Returns the options that a text mentions as whole words, in the order of `options`; options that are negated or asked
 * about are left out. `anywhere`: the text is a whole message, in which short and common words do not count.
 */
function namedOptions(message: ReadMessage, options: string[], { anywhere = false } = {}): string[] {
  const { text } = message;
  let folded = message.folded.slice(0, 4_000);
  const named = new Set<string>();
  // Longest first: "Pro Max" does not mention "Pro".
  for (const option of options.toSorted((a, b) => b.length - a.length)) {
    const foldedOption = foldInPlace(option.trim());
    if (!foldedOption || (anywhere && (foldedOption.length < 3 || common.has(foldedOption)))) continue;
    for (let from = 0, at = folded.indexOf(foldedOption); at >= 0; at = folded.indexOf(foldedOption, from)) {
      from = at + foldedOption.length;
      if (!isWord(folded, at, from)) continue;
      const denied = negation.test(text.slice(Math.max(0, at - 40), at));
      const isQuestion = anywhere && /^[^.!\n]{0,300}\?/.test(folded.slice(from));
      if (!denied && !isQuestion) named.add(option);
      folded = folded.slice(0, at) + '\0'.repeat(foldedOption.length) + folded.slice(from);
    }
  }
  return options.filter((option) => named.has(option));
}

const isWord = (text: string, start: number, end: number): boolean =>
  !/[\p{L}\p{N}_]/u.test(text[start - 1] ?? ' ') && !/[\p{L}\p{N}_]/u.test(text[end] ?? ' ');
