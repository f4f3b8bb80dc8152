import type { Field } from '../../database/generated/prisma/client.ts';
import { fold } from '../../text/fold.ts';
import { ruleOf } from './custom-values.ts';

type Rules = Pick<Field, 'type' | 'options'>;

/** Converts a value to a field's type; undefined if it does not fit. Empty values stay null. */
export function convertValue(value: unknown, field: Rules): unknown {
  if (value === null) return null;
  if (typeof value === 'string' && value.trim() === '' && field.type !== 'text') return null;
  const rule = ruleOf(field);
  for (const reading of readingsOf(value, field)) {
    const { data, success } = rule.safeParse(reading);
    if (success) return data;
  }
  return undefined;
}

/** The value as it is and as it may be read: a numeral as a number, a single-item list as its item. */
function readingsOf(value: unknown, { type, options }: Rules): unknown[] {
  const optionOf = (text: unknown) => options.find((option) => fold(option) === fold(String(text).trim())) ?? text;
  const list = Array.isArray(value) ? value : [value];
  if (type === 'multi_choice') return [[...new Set(list.map(optionOf))]];
  if (type === 'choice') return list.length === 1 ? [optionOf(list[0])] : [];
  if (type === 'number') return [value, numberIn(value)];
  if (type === 'boolean') return [value, { true: true, false: false }[String(value).trim().toLowerCase()]];
  if (type === 'text' && Array.isArray(value)) return value.every(isPlain) ? [value.join(', ')] : [];
  return isPlain(value) ? [String(value)] : [];
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const numberIn = (value: unknown): number | undefined =>
  typeof value === 'string' && /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value.trim()) ? Number(value) : undefined;
