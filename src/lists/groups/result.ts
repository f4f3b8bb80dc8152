import type { Grouping, GroupKey } from '../group.ts';
import type { Binding } from '../sql/binding.ts';
import { positionOfKey, textOfKey } from './keys.ts';
import { endsOf, noRange } from './ranges.ts';
import { boundsOf } from './spans.ts';
import { type Grouped, GroupsStatement } from './statement.ts';

/** The groups of a list as they were read: values in the order of the selection. */
export type GroupsResult = {
  total: number;
  more: boolean;
  /** Filling would lead to too many groups, so those without rows are missing. */
  overfilled: boolean;
  groups: {
    keys: KeyValue[];
    position: string[];
    value: string | null;
    measures: Value[];
    previous: Value[];
    cumulative: Value[];
  }[];
  other: Value[] | null;
  /**
   * The range of each part of a distribution, null for groups without a value, and the numbers of groups and of rows.
   */
  distributions: { range: [number | null, number | null] | null; count: number; rows: number }[][];
};
export type Value = number | null;
export type KeyValue =
  | string
  | null
  | [from: number, to: number, partial: boolean]
  | [from: number | null, to: number | null];

export const noGroups: GroupsResult = {
  total: 0,
  more: false,
  overfilled: false,
  groups: [],
  other: null,
  distributions: [],
};

/** SQL for a `GroupsResult` as JSON. */
export function resultExpression(binding: Binding, grouped: Grouped, grouping: Grouping): string {
  const { keys, measures, previous, cumulative, other, distributions } = grouping;
  const statement = new GroupsStatement(binding, grouped, grouping);
  const tables = statement.tables().join(', ');
  const columns = keys.map((key, index) => [key, `r.${statement.keys[index]}`] as const);
  const answerOf = (key: GroupKey, column: string) => {
    if (key.kind === 'span') return array([...boundsOf(binding, key, column), statement.isPartial(key, column)]);
    if (key.kind !== 'range') return textOfKey(column);
    return `CASE WHEN ${column} <> ${noRange} THEN ${array(endsOf(binding, key.ranges, column))} END`;
  };
  const value = statement.sortValue('r');
  const group = json({
    keys: array(columns.map(([key, column]) => answerOf(key, column))),
    position: array(columns.map(([key, column]) => positionOfKey(key, column))),
    value: value ? `${value}::text` : 'NULL',
    measures: array(measures.map((measure) => statement.measure(measure, 'r'))),
    previous: array((previous ?? []).map((measure) => statement.measure(measure, 'r', 'before'))),
    cumulative: array((cumulative ?? []).map((measure) => statement.measure(measure, 'r', 'until'))),
  });
  const result = json({
    total: statement.total,
    more: statement.more,
    overfilled: statement.overfilled ?? 'false',
    groups: `coalesce((SELECT json_agg(${group} ORDER BY r.rn) FROM page r), '[]')`,
    other: other
      ? `(SELECT ${array(other.map((measure) => statement.other(measure)))} ${statement.fromOther})`
      : 'NULL',
    distributions: array(
      (distributions ?? []).map((distribution) => {
        const range = `CASE WHEN d.k <> ${noRange} THEN ${array(endsOf(binding, distribution.ranges, 'd.k'))} END`;
        const part = json({ range, count: 'd.n', rows: 'd.r' });
        return `(SELECT coalesce(json_agg(${part} ORDER BY d.k), '[]') FROM ${statement.distributed(distribution)} d)`;
      }),
    ),
  });
  return `(WITH ${tables} SELECT ${result})`;
}

const array = (expressions: string[]): string => `json_build_array(${expressions.join(', ')})`;

const json = (fields: Record<string, string>): string =>
  `json_build_object(${Object.entries(fields)
    .map(([key, value]) => `'${key}', ${value}`)
    .join(', ')})`;
