import type { GroupKey } from '../../database/query/group.ts';
import type { TextBinding } from '../sql/binding.ts';
import type { Model } from '../sql/models.ts';
import { name } from '../sql/sql.ts';
import { unsupported } from '../unsupported.ts';
import { noRange, rangeOf } from './ranges.ts';
import { spanOf } from './spans.ts';

/** Represents a missing value: sorts after `v` and any text. */
const missing = '~';

export function typeOfKey({ kind }: GroupKey): 'timestamp' | 'numeric' | 'text' {
  if (kind === 'span') return 'timestamp';
  return kind === 'range' ? 'numeric' : 'text';
}

/** SQL for the value that rows are grouped by: the plain column where possible, to do little per row. */
export function valueOfKey(binding: TextBinding, model: Model, alias: string, key: GroupKey): string {
  const column = (called: string) => {
    if (!model.columns.has(called)) unsupported(`${model.name}.${called}`);
    return `${alias}.${name(called)}`;
  };
  if (key.kind === 'span') return spanOf(binding, key, column(key.column));
  if (key.kind === 'range') return rangeOf(binding, key, column(key.column));
  if (key.kind !== 'column') {
    const part = key.kind === 'hourOfDay' ? 'hour' : 'isodow';
    return `extract(${part} FROM ${column(key.column)} AT TIME ZONE ${binding.value(key.timeZone, 'text')})::int`;
  }
  const { kind, column: called } = key.dimension;
  if (kind === 'present') return `(${column(called)} IS NOT NULL)`;
  return kind === 'key' ? `(${column(called)} ->> ${binding.value(key.key ?? '', 'text')})` : column(called);
}

/**
 * SQL for a group's key, never null, so that groups can be joined by it: the start of a span as `timestamp`, the number
 * of a range as `numeric`, anything else as text with a leading `v`.
 */
export function keyOfValue(model: Model, key: GroupKey, value: string): string {
  if (key.kind === 'span') return value;
  if (key.kind === 'range') return `coalesce(${value}, ${noRange})`;
  if (key.kind !== 'column') return `('v' || lpad(${value}::text, 2, '0')) COLLATE "C"`;
  const { kind, column } = key.dimension;
  const isNullable = kind === 'key' || (kind !== 'present' && model.columns.get(column)?.nullable);
  const text = `'v' || ${value}::text`;
  return `${isNullable ? `coalesce(${text}, '${missing}')` : `(${text})`} COLLATE "C"`;
}

export const keyOf = (binding: TextBinding, model: Model, alias: string, key: GroupKey): string =>
  keyOfValue(model, key, valueOfKey(binding, model, alias, key));

/** SQL for the text of a key; null for a missing value. */
export const textOfKey = (subject: string): string =>
  `CASE WHEN ${subject} <> '${missing}' THEN substr(${subject}, 2) END`;

/** SQL for a key as the text that `keyOf` is compared with. */
export const placeOfKey = (key: GroupKey, subject: string): string =>
  key.kind === 'span' ? `to_char(${subject}, 'YYYY-MM-DD"T"HH24:MI:SS')` : `${subject}::text`;

/** SQL for whether the key is missing, to sort such groups last. */
export function isMissing({ kind }: GroupKey, subject: string): string | null {
  if (kind === 'range') return `(${subject} = ${noRange})`;
  return kind === 'column' ? `(${subject} = '${missing}')` : null;
}

export const isMissingPlace = ({ kind }: GroupKey, place: string): boolean =>
  place === (kind === 'range' ? 'NaN' : missing);
