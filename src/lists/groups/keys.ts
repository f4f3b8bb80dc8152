import type { Dimension, GroupKey, Via } from '../group.ts';
import type { Binding, TextBinding } from '../sql/binding.ts';
import { type Model, type Models, modelOf, relationIn } from '../sql/models.ts';
import type { Rows } from '../sql/rows.ts';
import { name } from '../sql/sql.ts';
import { equalities } from '../sql/where.ts';
import { unsupported } from '../unsupported.ts';
import { noRange, rangeOf } from './ranges.ts';
import { spanOf } from './spans.ts';

/** The grouped rows. */
type Of = { models: Models; model: Model };

/** Represents a missing value: sorts after `v` and any text. */
const missing = '~';

export function typeOfKey({ kind }: GroupKey): 'timestamp' | 'numeric' | 'text' {
  if (kind === 'span') return 'timestamp';
  return kind === 'range' ? 'numeric' : 'text';
}

/** SQL for the value that rows are grouped by: the plain column where possible, to do little per row. */
export function valueOfKey(binding: TextBinding, { models, model }: Of, alias: string, key: GroupKey): string {
  const column = (called: string, via?: Via) => {
    const holder = via ? modelOf(models, via.model) : model;
    if (!holder.columns.has(called)) unsupported(`${holder.name}.${called}`);
    return `${via ? joinedAs(alias, via) : alias}.${name(called)}`;
  };
  if (key.kind === 'span') return spanOf(binding, key, column(key.column));
  if (key.kind === 'range') return rangeOf(binding, key.ranges, column(key.column));
  if (key.kind !== 'column') {
    const part = key.kind === 'hourOfDay' ? 'hour' : 'isodow';
    return `extract(${part} FROM ${column(key.column)} AT TIME ZONE ${binding.value(key.timeZone, 'text')})::int`;
  }
  const { kind, column: called } = key.dimension;
  if (kind === 'present') return `(${column(called)} IS NOT NULL)`;
  if (kind === 'key') return `(${column(called)} ->> ${binding.value(key.key ?? '', 'text')})`;
  return column(called, key.dimension.via);
}

/**
 * SQL for a group's key, never null, so that groups can be joined by it: the start of a span as `timestamp`, the number
 * of a range as `numeric`, anything else as text with a leading `v`.
 */
export function keyOfValue(of: Of, key: GroupKey, value: string): string {
  if (key.kind === 'span') return value;
  if (key.kind === 'range') return `coalesce(${value}, ${noRange})`;
  if (key.kind !== 'column') return `('v' || lpad(${value}::text, 2, '0')) COLLATE "C"`;
  const text = `'v' || ${value}::text`;
  return `${isNullable(of, key.dimension) ? `coalesce(${text}, '${missing}')` : `(${text})`} COLLATE "C"`;
}

export const keyOf = (binding: TextBinding, of: Of, alias: string, key: GroupKey): string =>
  keyOfValue(of, key, valueOfKey(binding, of, alias, key));

/** Whether rows may have no value of a key. */
export function isNullable({ models, model }: Of, dimension: Dimension): boolean {
  if (dimension.kind === 'key') return true;
  if (dimension.kind === 'present') return false;
  const { column, via } = dimension;
  const isMissing = (of: Model, called: string) => of.columns.get(called)?.nullable ?? true;
  if (!via) return isMissing(model, column);
  const { on } = relationIn(model, via.relation);
  return on.some(([own]) => isMissing(model, own)) || isMissing(modelOf(models, via.model), column);
}

/** Joins rows with those that have the columns of these keys in their position. */
export function withJoins(models: Models, rows: Rows, keys: readonly GroupKey[]): Rows {
  const vias = keys.flatMap((key) =>
    key.kind === 'column' && 'via' in key.dimension && key.dimension.via ? [key.dimension.via] : [],
  );
  const joins = [...new Map(vias.map((via) => [via.relation, via])).values()];
  const joined = (alias: string, binding: Binding) =>
    joins.map((via) => {
      const other = joinedAs(alias, via);
      const on = equalities(binding, relationIn(rows.model, via.relation).on, alias, other);
      return ` LEFT JOIN ${name(modelOf(models, via.model).name)} ${other} ON ${on.join(' AND ')}`;
    });
  if (joins.length === 0) return rows;
  return { ...rows, from: (alias, binding) => [rows.from(alias, binding), ...joined(alias, binding)].join('') };
}

const joinedAs = (alias: string, { relation }: Via): string => `${alias}_${relation}`;

/** SQL for the text of a key; null for a missing value. */
export const textOfKey = (subject: string): string =>
  `CASE WHEN ${subject} <> '${missing}' THEN substr(${subject}, 2) END`;

/** SQL for a key as the text that `keyOf` is compared with. */
export const positionOfKey = (key: GroupKey, subject: string): string =>
  key.kind === 'span' ? `to_char(${subject}, 'YYYY-MM-DD"T"HH24:MI:SS')` : `${subject}::text`;

/** SQL for whether the key is missing, to sort such groups last. */
export function isMissing({ kind }: GroupKey, subject: string): string | null {
  if (kind === 'range') return `(${subject} = ${noRange})`;
  return kind === 'column' ? `(${subject} = '${missing}')` : null;
}

export const isMissingKey = ({ kind }: GroupKey, position: string): boolean =>
  position === (kind === 'range' ? 'NaN' : missing);
