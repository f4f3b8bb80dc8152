import type { GroupKey } from '../../database/query/group.ts';
import type { Binding } from '../binding.ts';
import type { Model } from '../models.ts';
import { name } from '../sql.ts';
import { unsupported } from '../unsupported.ts';
import { boundsOf, spanOf } from './spans.ts';

/** What stands for a missing value: it is after `v` and any text. */
const missing = '~';

export const typeOfKey = ({ kind }: GroupKey): 'timestamp' | 'text' => (kind === 'span' ? 'timestamp' : 'text');

/**
 * A key of a row as an expression that is never null, so that groups can be joined by it: the beginning of a span as a
 * `timestamp`, all others as a text, `v` before the value.
 */
export function keyOf(binding: Binding, model: Model, alias: string, key: GroupKey): string {
  const column = (called: string) => {
    if (!model.columns.has(called)) unsupported(`${model.name}.${called}`);
    return `${alias}.${name(called)}`;
  };
  if (key.kind === 'span') return spanOf(binding, key, column(key.column));
  if (key.kind !== 'column') {
    const part = key.kind === 'hourOfDay' ? 'HH24' : 'ID';
    return `('v' || to_char(${column(key.column)} AT TIME ZONE ${binding.value(key.timeZone, 'text')}, '${part}'))`;
  }
  const { kind, column: called } = key.dimension;
  const subject = column(called);
  if (kind === 'present') return `('v' || (${subject} IS NOT NULL)::text)`;
  const value = kind === 'key' ? `(${subject} ->> ${binding.value(key.key ?? '', 'text')})` : `${subject}::text`;
  const isMissing = kind === 'key' || model.columns.get(called)?.nullable;
  return `(${isMissing ? `coalesce('v' || ${value}, '${missing}')` : `'v' || ${value}`}) COLLATE "C"`;
}

/** What is answered of a key: a text or null, or the bounds of a span. */
export function answerOfKey(binding: Binding, key: GroupKey, subject: string): string {
  if (key.kind === 'span') return `json_build_array(${boundsOf(binding, key, subject).join(', ')})`;
  return `CASE WHEN ${subject} <> '${missing}' THEN substr(${subject}, 2) END`;
}

/** A key as a text that `keyOf` is compared with. */
export const placeOfKey = (key: GroupKey, subject: string): string =>
  key.kind === 'span' ? `to_char(${subject}, 'YYYY-MM-DD"T"HH24:MI:SS')` : subject;

/** Whether the key has no value, for an order in which such groups come last. */
export const isMissing = (key: GroupKey, subject: string): string | null =>
  key.kind === 'column' ? `(${subject} = '${missing}')` : null;

export const isMissingPlace = (place: string): boolean => place === missing;

/** The condition that a row has the keys of a group. */
export function ofGroup(
  binding: Binding,
  { model, alias }: { model: Model; alias: string },
  { keys, places }: { keys: GroupKey[]; places: string[] },
): string[] {
  return keys.map(
    (key, index) =>
      `${keyOf(binding, model, alias, key)} = ${binding.own(places[index], 'text')}${key.kind === 'span' ? '::timestamp' : ''}`,
  );
}
