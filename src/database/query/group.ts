/** What the rows of a list can be grouped by, beside the spans of time of its moments. */
export type Dimension =
  /** A column of few values: an enumeration, true or false, or a short text. */
  | { kind: 'value'; column: string }
  /** Whether a column has a value. */
  | { kind: 'present'; column: string }
  /** The row of another model that a column names by its id; `told`: the fields that `analytics.read` opens beside the id. */
  | { kind: 'related'; column: string; model: string; told?: readonly string[] }
  /** The text of one key of a JSON column, which the caller names. */
  | { kind: 'key'; column: string };

/**
 * What the rows of a list can be grouped and measured by. Columns of `moments` have a value in every row; the first is the
 * one that hours of the day and days of the week are of unless another is asked for.
 */
export type GroupRule = {
  moments: readonly [string, ...string[]];
  by: Record<string, Dimension>;
  /** Columns of numbers, which can be added up. */
  numbers?: readonly string[];
  /** Columns of which the different values can be counted. */
  distinct?: readonly string[];
};

export const timeUnits = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type TimeUnit = (typeof timeUnits)[number];
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof weekdays)[number];

/** The spans of time into which moments fall: in a time zone of the IANA database, weeks beginning on a day. */
export type Spans = { every: TimeUnit; timeZone: string; weekStart: Weekday; fill: boolean };

/** One thing that groups are made by, as it was asked for. `id` tells it apart from the others of a grouping. */
export type GroupKey = { id: string } & (
  | { kind: 'column'; dimension: Dimension; key?: string | undefined }
  | ({ kind: 'span'; column: string } & Spans)
  | { kind: 'hourOfDay' | 'dayOfWeek'; column: string; timeZone: string }
);

export const aggregates = ['distinct', 'sum', 'avg', 'min', 'max', 'p50', 'p95'] as const;
export type Aggregate = (typeof aggregates)[number];

/** One thing that is told of a group. A count without a filter is told of every group. */
export type Measure = { id: string } & (
  | { aggregate: 'count'; filter: Record<string, unknown> | null }
  | { aggregate: Aggregate; column: string }
);

/** Whether a measure is a number of rows or of values, which every group has. */
export const isCount = ({ aggregate }: Measure): boolean => aggregate === 'count' || aggregate === 'distinct';

/** All that is asked of the groups of a list. */
export type Grouping = {
  keys: GroupKey[];
  measures: Measure[];
  /** What is told of the groups that come behind the page; null: nothing. */
  other: Measure[] | null;
  /** What is told of the same group in the span before; null: nothing. */
  previous: Measure[] | null;
  /** By its keys, or by one of its measures. */
  order: { by: 'keys' | Measure; direction: 'asc' | 'desc' };
  size: number;
  after: GroupPlace | null;
};

/** The place of a group in its order: what it is sorted by, unless that is its keys, and its keys. */
export type GroupPlace = { value: string | null; keys: string[] };

/** Of things with the same id, one. */
export const uniqueById = <Thing extends { id: string }>(things: readonly Thing[]): Thing[] => [
  ...new Map(things.map((thing) => [thing.id, thing])).values(),
];

/** Different groups that one operation may ask for: each reads all rows of its list. */
export const mostGroupings = 100;
/** Groups that a page has at most. */
export const maxGroups = 100;
/** Spans of time that are filled at most, and groups that there are then in all. */
export const maxSpans = 10_000;
export const maxFilled = 50_000;
