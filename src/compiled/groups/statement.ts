import { invalid } from '../../core/errors.ts';
import { type Grouping, type GroupKey, type Measure, maxFilled } from '../../database/query/group.ts';
import type { ListRule, Where } from '../../database/query/list.ts';
import type { Binding } from '../binding.ts';
import type { Models } from '../models.ts';
import { fromWhere, type Rows } from '../rows.ts';
import { name } from '../sql.ts';
import { answerOfKey, keyOf, placeOfKey } from './keys.ts';
import { Measured } from './measures.ts';
import { beyond, orderOfTerms, termsOf } from './order.ts';
import { before, distance, spansBetween } from './spans.ts';

/** The rows that are grouped: where they are, and the condition that they meet. */
export type Grouped = {
  models: Models;
  rule: ListRule;
  rows: Rows;
  where: Where;
  /** The same without the span of time that the filter names, for the span before. */
  beforeWhere: (() => Where) | null;
  /** Conditions beside `where`: that the rows are those of a group. */
  within: (alias: string) => string[];
  span: FilteredSpan | null;
};
/** The span of time that an argument of the filter names both ends of: its column, and the zone whose months count. */
export type FilteredSpan = { argument: string; column: string; from: Date; to: Date; timeZone: string };

/** What the statement answers: values in the order in which they are asked for. */
export type Answered = {
  total: number;
  more: boolean;
  /** Filled, there would be too many: the spans without rows are not among them. */
  overfilled: boolean;
  groups: {
    keys: (string | null | [number, number])[];
    place: string[];
    value: string | null;
    measures: Value[];
    previous: Value[];
  }[];
  other: Value[] | null;
};
export type Value = number | null;

type Span = Extract<GroupKey, { kind: 'span' }>;

/** The groups of a list as one expression of type json: one pass over its rows, and one over those of the span before. */
export function groupsExpression(binding: Binding, grouped: Grouped, grouping: Grouping): string {
  return new GroupsWriter(binding, grouped, grouping).write();
}

class GroupsWriter {
  readonly #binding: Binding;
  readonly #grouped: Grouped;
  readonly #grouping: Grouping;
  readonly #measured: Measured;
  readonly #keys: string[];
  readonly #told: Measure[];
  readonly #names = new Map<string, string>();

  constructor(binding: Binding, grouped: Grouped, grouping: Grouping) {
    this.#binding = binding;
    this.#grouped = grouped;
    this.#grouping = grouping;
    this.#measured = new Measured({ ...grouped, binding });
    this.#keys = grouping.keys.map((_, index) => name(`k ${index}`));
    const ordered = grouping.order.by === 'keys' ? [] : [grouping.order.by];
    this.#told = unique([...grouping.measures, ...ordered, ...(this.#addsUp ? (grouping.other ?? []) : [])]);
  }

  write(): string {
    const { size, previous, after, order } = this.#grouping;
    const terms = termsOf(this.#grouping, this.#keys, order.by === 'keys' ? null : this.#sortValue(order.by));
    const aggregates = this.#aggregates(this.#told);
    const rest = this.#rest();
    const previousAggregates = previous && this.#aggregates(unique(previous), 'p');
    const parts = [
      `src AS (${this.#source(false)})`,
      `found AS (SELECT ${this.#list([...this.#keys, ...aggregates])} FROM src ${this.#groupBy})`,
      ...this.#filled(),
      ...(previousAggregates
        ? [
            `psrc AS (${this.#source(true)})`,
            `prv AS (SELECT ${this.#list([...this.#keys, ...previousAggregates])} FROM psrc ${this.#groupBy})`,
          ]
        : []),
      `ranked AS (SELECT grp.*, row_number() OVER (ORDER BY ${orderOfTerms(terms)}) AS rn FROM grp WHERE ${beyond(this.#binding, terms, after)})`,
    ];
    const joined = previous ? `LEFT JOIN prv ON ${this.#equal('r', 'prv')}` : '';
    const page = `SELECT json_agg(${this.#group()} ORDER BY r.rn) FROM ranked r ${joined} WHERE r.rn <= ${size}`;
    return (
      `(WITH ${parts.join(', ')} SELECT json_build_object('total', (SELECT count(*) FROM grp), ` +
      `'more', (SELECT count(*) > ${size} FROM ranked), 'overfilled', ${this.#filledKey < 0 ? 'false' : '(SELECT it FROM overfilled)'}, 'groups', coalesce((${page}), '[]'), 'other', ${rest}))`
    );
  }

  /** The groups behind the page as one: of their own numbers where those add up, else of their rows. */
  #rest(): string {
    const { other, size } = this.#grouping;
    if (!other) return 'NULL';
    const of = (measure: Measure) =>
      this.#addsUp ? `sum(r.${this.#named(measure)})` : this.#measured.aggregate(measure);
    const told = array(other.map((measure) => this.#measured.written(measure, of(measure))));
    const rows = this.#addsUp ? 'ranked r' : `src JOIN ranked r ON ${this.#equal('src', 'r')}`;
    return `(SELECT ${told} FROM ${rows} WHERE r.rn > ${size})`;
  }

  get #addsUp(): boolean {
    return (this.#grouping.other ?? []).every(({ aggregate }) => aggregate === 'count' || aggregate === 'sum');
  }

  #list = (columns: string[]): string => (columns.length > 0 ? columns.join(', ') : '1 AS nothing');

  /** Without keys, all rows are one group, also when there are none. */
  get #groupBy(): string {
    return this.#keys.length > 0 ? `GROUP BY ${this.#keys.join(', ')}` : '';
  }

  #aggregates(measures: Measure[], prefix = 'm'): string[] {
    return measures.map((measure) => `${this.#measured.aggregate(measure)} AS ${this.#named(measure, prefix)}`);
  }

  /** The column of a measure: a short name, since PostgreSQL cuts long ones. */
  #named({ id }: Measure, prefix = 'm'): string {
    const known = this.#names.get(id) ?? String(this.#names.size);
    this.#names.set(id, known);
    return name(`${prefix} ${known}`);
  }

  #source(isBefore: boolean): string {
    const { models, rows, where, beforeWhere, within, span } = this.#grouped;
    const alias = this.#binding.alias();
    const model = rows.model;
    const keys = this.#grouping.keys.map((key, index) => {
      const expression = keyOf(this.#binding, model, alias, key);
      return `${isBefore ? this.#moved(key, expression) : expression} AS ${this.#keys[index]}`;
    });
    const conditions = [...within(alias)];
    if (isBefore && span) {
      const moment = `${alias}.${name(span.column)}`;
      const end = this.#binding.value(span.from, 'timestamptz');
      conditions.push(`${moment} >= ${before(this.#binding, span.timeZone, span)}`, `${moment} < ${end}`);
    }
    const chosen = isBefore && beforeWhere ? beforeWhere() : where;
    const from = fromWhere(models, this.#binding, rows, alias, chosen);
    const columns = this.#list([...keys, ...this.#measured.columns(alias)]);
    return [`SELECT ${columns} ${from}`, ...conditions].join(' AND ');
  }

  /** A span of the time before, as the one of the time that it is compared with. */
  #moved(key: GroupKey, expression: string): string {
    const { span } = this.#grouped;
    if (key.kind !== 'span' || !span || key.column !== span.column) return expression;
    const from = this.#binding.value(span.from, 'timestamptz');
    return `(${expression} + ${distance(this.#binding, key, from, before(this.#binding, span.timeZone, span))})`;
  }

  /** The groups with those of spans that have no rows, for each combination of the other keys. */
  #filled(): string[] {
    const { keys } = this.#grouping;
    const index = this.#filledKey;
    if (index < 0) return ['grp AS (SELECT * FROM found)'];
    const { span } = this.#grouped;
    if (!span) throw invalid('fill: needs both ends of the span in the filter.');
    const others = this.#keys.filter((_, at) => at !== index);
    const combinations = others.length > 0 ? `SELECT DISTINCT ${others.join(', ')} FROM found` : 'SELECT 1 AS nothing';
    const columns = this.#keys.map((key, at) => (at === index ? `t.k AS ${key}` : `o.${key}`));
    const measures = this.#told.map((measure) =>
      measure.aggregate === 'count' || measure.aggregate === 'distinct' ? '0' : 'NULL',
    );
    const isFound = this.#keys.map((key, at) => `f.${key} = ${at === index ? 't.k' : `o.${key}`}`).join(' AND ');
    return [
      `others AS MATERIALIZED (${combinations})`,
      `spans AS MATERIALIZED (${spansBetween(this.#binding, keys[index] as Span, span)})`,
      `overfilled AS MATERIALIZED (SELECT (SELECT count(*) FROM others) * (SELECT count(*) FROM spans) > ${maxFilled} AS it)`,
      `grp AS (SELECT * FROM found UNION ALL SELECT ${[...columns, ...measures].join(', ')} FROM others o ` +
        `CROSS JOIN spans t WHERE NOT (SELECT it FROM overfilled) AND NOT EXISTS (SELECT 1 FROM found f WHERE ${isFound}))`,
    ];
  }

  get #filledKey(): number {
    return this.#grouping.keys.findIndex((key) => key.kind === 'span' && key.fill);
  }

  #equal(one: string, other: string): string {
    return this.#keys.map((key) => `${one}.${key} = ${other}.${key}`).join(' AND ') || 'true';
  }

  #sortValue(measure: Measure): string {
    return `(${this.#measured.written(measure, this.#named(measure))})::numeric`;
  }

  #group(): string {
    const { keys, measures, previous, order } = this.#grouping;
    const answers = keys.map((key, index) => answerOfKey(this.#binding, key, `r.${this.#keys[index]}`));
    const places = keys.map((key, index) => placeOfKey(key, `r.${this.#keys[index]}`));
    const told = (all: Measure[], table: string, prefix: string) =>
      array(all.map((measure) => this.#measured.written(measure, `${table}.${this.#named(measure, prefix)}`)));
    const value = order.by === 'keys' ? 'NULL' : `${this.#sortValue(order.by)}::text`;
    return (
      `json_build_object('keys', ${array(answers)}, 'place', ${array(places)}, 'value', ${value}, ` +
      `'measures', ${told(measures, 'r', 'm')}, 'previous', ${told(previous ?? [], 'prv', 'p')})`
    );
  }
}

const array = (expressions: string[]): string => `json_build_array(${expressions.join(', ')})`;

const unique = (measures: Measure[]): Measure[] => [...new Map(measures.map((each) => [each.id, each])).values()];
