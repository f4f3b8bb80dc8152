import type { Unit } from '../core/value-kinds.ts';
import type { Prisma } from '../database/generated/prisma/client.ts';

/** What a list can be grouped by, in addition to spans of its time columns. */
export type Dimension =
  /** A column of few distinct values: an enum, a boolean or a short text. */
  | { kind: 'value'; column: string; via?: Via }
  /** Whether a column has a value. */
  | { kind: 'present'; column: string }
  /**
   * The row that a foreign key refers to. `allowed`: the fields that `analytics.read` reveals in addition to the id.
   */
  | { kind: 'related'; column: string; model: string; allowed?: readonly string[]; via?: Via }
  /** The text of a key of a JSON column; the caller names the key. */
  | { kind: 'key'; column: string };

/** The row that has the column instead of the grouped row, which refers to it. */
export type Via = { relation: string; model: Prisma.ModelName };

/**
 * What a list can be grouped by and what can be aggregated. Columns of `moments` are never null; the first is the
 * default for hours of the day and days of the week.
 */
export type GroupRule = {
  moments: readonly [string, ...string[]];
  by: Record<string, Dimension>;
  /** Numeric columns, which can be summed, and the units of those that have one. */
  numbers?: readonly string[];
  units?: Readonly<Record<string, Unit>>;
  /** Columns whose distinct values can be counted. */
  distinct?: readonly string[];
};

export const timeUnits = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type TimeUnit = (typeof timeUnits)[number];
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof weekdays)[number];

/** Time buckets in an IANA time zone, with the first day of the week. */
export type Spans = { every: TimeUnit; timeZone: string; weekStart: Weekday; fill: boolean };

/** Ranges of numbers: each as wide, or between these bounds, below the first and from the last on. */
export type Ranges = { width: number } | { bounds: number[] };

/** A key to group by; `id` identifies it within a grouping. */
export type GroupKey = { id: string } & (
  | { kind: 'column'; dimension: Dimension; key?: string | undefined }
  | ({ kind: 'span'; column: string } & Spans)
  | { kind: 'range'; column: string; ranges: Ranges; fill: boolean }
  | { kind: 'hourOfDay' | 'dayOfWeek'; column: string; timeZone: string }
);

export const aggregates = ['distinct', 'sum', 'avg', 'min', 'max', 'p50', 'p95'] as const;
export type Aggregate = (typeof aggregates)[number];

/** A measure of a group. The count without a filter is measured for every group. */
export type Measure = { id: string } & (
  | { aggregate: 'count'; filter: Record<string, unknown> | null }
  | { aggregate: Aggregate; column: string }
  | { aggregate: 'ratio'; of: Measure; to: Measure }
  /** The running total of another, over time. */
  | { aggregate: 'cumulative'; of: Measure }
);

/** The measures that a measure is computed from: itself, unless it is a ratio or a running total. */
export function partsOf(measure: Measure): Exclude<Measure, { aggregate: 'ratio' | 'cumulative' }>[] {
  if (measure.aggregate === 'ratio') return [...partsOf(measure.of), ...partsOf(measure.to)];
  return measure.aggregate === 'cumulative' ? partsOf(measure.of) : [measure];
}

/** Whether a measure is a count, which is never null. */
export const isCount = (measure: Measure): boolean =>
  measure.aggregate === 'cumulative'
    ? isCount(measure.of)
    : measure.aggregate === 'count' || measure.aggregate === 'distinct';

/** The groups by the ranges that a measure of theirs is in. */
export type Distribution = { id: string; of: Measure; ranges: Ranges & { bounds: number[] } };

/** The grouping of a list. */
export type Grouping = {
  keys: GroupKey[];
  measures: Measure[];
  /** Measures of all groups behind the page; null if not selected. */
  other: Measure[] | null;
  /** Measures of the same group in the previous span; null if not selected. */
  previous: Measure[] | null;
  /** Measures that are added up over time, to each group from the first; null if not selected. */
  cumulative: Measure[] | null;
  /** How many groups have how much of a measure; null if not selected. */
  distributions: Distribution[] | null;
  /** The measures in the filter of groups, with their names there; null without a filter. */
  having: { name: string; measure: Measure }[] | null;
  /** By the keys, or by a measure. */
  order: { by: 'keys' | Measure; direction: 'asc' | 'desc' };
  size: number;
  after: GroupPosition | null;
};

/** The position of a group in the order: its sort value, null if sorted by keys, and its keys. */
export type GroupPosition = { value: string | null; keys: string[] };

/** Removes duplicates by id. */
export const uniqueById = <Row extends { id: string }>(rows: readonly Row[]): Row[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
];

/** Maximum number of different groupings per operation: each reads all rows of its list. */
export const maxGroupings = 100;
/** Maximum size of a page of groups. */
export const maxGroups = 100;
/** Maximum number of filled spans or ranges, and of groups including these. */
export const maxSpans = 10_000;
export const maxFilled = 50_000;

const hours: Record<TimeUnit, number> = { hour: 1, day: 24, week: 168, month: 730, quarter: 2190, year: 8760 };

/** How many spans there are between two moments, about: months and days differ in length. */
export const estimateSpans = (from: Date, to: Date, every: TimeUnit): number =>
  (to.getTime() - from.getTime()) / 3_600_000 / hours[every];
