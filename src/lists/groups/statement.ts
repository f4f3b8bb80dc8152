import { matchNone } from '../conditions.ts';
import { type Distribution, type Grouping, type GroupKey, isCount, type Measure, uniqueById } from '../group.ts';
import type { Binding, TextBinding } from '../sql/binding.ts';
import { type Models, modelOf } from '../sql/models.ts';
import { fromWhere, type Rows } from '../sql/rows.ts';
import { name } from '../sql/sql.ts';
import { condition } from '../sql/where.ts';
import { unsupported } from '../unsupported.ts';
import { distributed } from './distribution.ts';
import { filledOf, fillTables, withEmpty } from './fill.ts';
import { tableOfGroups } from './having.ts';
import { allRows } from './ids.ts';
import { keyOfValue, valueOfKey, withJoins } from './keys.ts';
import { Measured } from './measures.ts';
import { isAfter, orderOfTerms, termsOf } from './order.ts';
import type { Scope } from './scope.ts';
import { before, distance, isPartial } from './spans.ts';

/** The rows to group: their source, and their conditions in a run. */
export type Grouped = Pick<Scope, 'rule'> & { models: Models; rows: Rows; conditions: (run: Binding) => Conditions };
type Conditions = Pick<Scope, 'within' | 'where' | 'beforeWhere' | 'span' | 'limits' | 'having'> & {
  /** That the rows belong to an outer group. */
  inGroups: (alias: string) => string[];
};

/** The model of the rows to group, as their keys need it. */
export const modelIn = ({ models, rows: { model } }: Pick<Grouped, 'models' | 'rows'>) => ({ models, model });

/** The column of a key in the tables of a statement, by its number in the grouping. */
export const columnOfKey = (index: number): string => name(`k ${index}`);

type Span = Extract<GroupKey, { kind: 'span' }>;
/** The time of a measure: of the group, of the same group in the previous span, or from the first group until it. */
export type Measuring = keyof typeof prefixes;
const prefixes = { now: 'm', before: 'p', until: 'c' } as const;
type Prefix = (typeof prefixes)[Measuring];

/** The groups of a list as tables of one statement: one pass over its rows, and one over those of the previous span. */
export class GroupsStatement {
  readonly #binding: TextBinding;
  readonly #grouped: Grouped;
  readonly #grouping: Grouping;
  readonly #measured: Measured;
  readonly #stored: Measure[];
  readonly #cumulative: Measure[];
  readonly #names = new Map<string, string>();
  readonly keys: string[];

  constructor(binding: TextBinding, grouped: Grouped, grouping: Grouping) {
    this.#binding = binding;
    this.#grouped = grouped;
    this.#grouping = grouping;
    this.#measured = new Measured({ ...grouped, binding });
    this.keys = grouping.keys.map((_, index) => columnOfKey(index));
    const { measures, order, other, previous, having } = grouping;
    const chosen = [...(order.by === 'keys' ? [] : [order.by]), ...(having ?? []).map(({ measure }) => measure)];
    const totals = chosen.flatMap((measure) => (measure.aggregate === 'cumulative' ? measure.of : []));
    this.#cumulative = uniqueById([...(grouping.cumulative ?? []), ...totals]);
    this.#stored = uniqueById([
      ...measures,
      ...chosen.map((measure) => (measure.aggregate === 'cumulative' ? measure.of : measure)),
      ...(this.#addsUp ? (other ?? []) : []),
    ]);
    // The columns to read are known once all measures are.
    for (const measure of [...this.#stored, ...(other ?? []), ...(previous ?? [])]) this.#measured.aggregate(measure);
  }

  /**
   * Returns the tables: `grp` has all groups, `page` those of the page in the order of `rn`, and `tail` those behind
   * it, or `rest` just their additive measures.
   */
  tables(): string[] {
    const { size, previous, after, other } = this.#grouping;
    const terms = termsOf(this.#grouping, this.keys, this.sortValue());
    const aggregates = this.#aggregates(this.#stored, 'm');
    const order = orderOfTerms(terms);
    const first = `SELECT *, row_number() OVER (ORDER BY ${order}) AS rn FROM (SELECT * FROM ${this.#remaining} ORDER BY ${order} LIMIT ${size}) f`;
    const before = previous ? this.#before(previous) : null;
    return [
      ...this.#filled(aggregates),
      ...(before?.tables ?? []),
      ...(after ? [`remaining AS (SELECT * FROM grp WHERE ${isAfter(this.#binding, terms, after)})`] : []),
      before
        ? `page AS (SELECT ${['f.*', ...before.columns].join(', ')} FROM (${first}) f LEFT JOIN prv ON ${this.#equal('f', 'prv')})`
        : `page AS (${first})`,
      ...(other ? [this.#addsUp ? this.#rest(other) : this.#tail()] : []),
    ];
  }

  /** The groups behind the page, for measures that have to be computed from their rows. */
  #tail(): string {
    return `tail AS (SELECT g.* FROM ${this.#remaining} g LEFT JOIN page ON ${this.#equal('g', 'page')} WHERE page.rn IS NULL)`;
  }

  /** Additive measures of the groups behind the page: all groups minus the page. Sums of nothing are null. */
  #rest(measures: Measure[]): string {
    const columns = uniqueById(measures).map((measure) => ({ measure, column: this.#named(measure, 'm') }));
    const sums = columns.flatMap(({ column }, index) => [
      `sum(${column}) AS s${index}`,
      `count(${column}) AS n${index}`,
    ]);
    const rests = columns.map(({ measure, column }, index) => {
      const rest = `a.s${index} - coalesce(b.s${index}, 0)`;
      return `${isCount(measure) ? rest : `CASE WHEN a.n${index} > b.n${index} THEN ${rest} END`} AS ${column}`;
    });
    const all = (table: string) => `(SELECT ${sums.join(', ')} FROM ${table})`;
    return `rest AS (SELECT ${listed(rests)} FROM ${all(this.#remaining)} a, ${all('page')} b)`;
  }

  /** SQL for the number of groups. */
  readonly total = '(SELECT count(*) FROM grp)';

  /** SQL for whether there are groups behind the page. */
  get more(): string {
    return `(SELECT count(*) > ${this.#grouping.size} FROM ${this.#remaining})`;
  }

  /** SQL for whether filling would make too many groups: those without rows are omitted then. Null if none is. */
  get overfilled(): string | null {
    return filledOf(this.#grouping.keys).length === 0 ? null : '(SELECT it FROM overfilled)';
  }

  /** SQL for a measure of a group in `page`, for JSON. */
  measure(measure: Measure, table: string, span: Measuring = 'now'): string {
    return this.#measured.written(measure, `${table}.${this.#named(measure, prefixes[span])}`);
  }

  /** SQL for a measure of all groups behind the page, to be selected from `fromOther`. */
  other(measure: Measure): string {
    return this.#measured.written(
      measure,
      this.#addsUp ? `max(t.${this.#named(measure, 'm')})` : this.#measured.aggregate(measure),
    );
  }

  /** SQL for whether rows of a span, given its column, may be missing. */
  isPartial(key: Span, subject: string): string {
    return isPartial(this.#binding, key, subject, (run) => this.#grouped.conditions(run).limits(key.column));
  }

  /** SQL for the rows of a distribution of all groups. */
  distributed(distribution: Distribution): string {
    const [value, rows] = [distribution.of, allRows].map((measure) => this.#named(measure, 'm')) as [string, string];
    return distributed(this.#binding, distribution, { table: 'grp', value, rows });
  }

  get fromOther(): string {
    if (this.#addsUp) return 'FROM rest t';
    const isIn = this.#grouping.keys.map((key, index) => `${this.#key(key, index, 'src')} = t.${this.keys[index]}`);
    return `FROM src JOIN tail t ON ${isIn.join(' AND ') || 'true'}`;
  }

  /** SQL for the sort value of groups; null if sorted by keys. */
  sortValue(table?: string): string | null {
    const { by } = this.#grouping.order;
    if (by === 'keys') return null;
    const column = table ? `${table}.${this.#named(by, 'm')}` : this.#named(by, 'm');
    if (isCount(by)) return column;
    // As text, a ratio keeps all of its digits.
    return `(${this.#measured.written(by, column)})${by.aggregate === 'ratio' ? '::text' : ''}::numeric`;
  }

  get #remaining(): string {
    return this.#grouping.after ? 'remaining' : 'grp';
  }

  /** Whether all measures of the groups behind the page are additive. */
  get #addsUp(): boolean {
    return (this.#grouping.other ?? []).every(({ aggregate }) => aggregate === 'count' || aggregate === 'sum');
  }

  #aggregates(measures: Measure[], prefix: 'm' | 'p'): string[] {
    return measures.map((measure) => `${this.#measured.aggregate(measure)} AS ${this.#named(measure, prefix)}`);
  }

  /** The column of a measure: a short name, since PostgreSQL truncates long ones. */
  #named(measure: Measure, prefix: Prefix): string {
    if (measure.aggregate === 'cumulative') return this.#named(measure.of, prefixes.until);
    const known = this.#names.get(measure.id) ?? String(this.#names.size);
    this.#names.set(measure.id, known);
    return name(`${prefix} ${known}`);
  }

  #key(key: GroupKey, index: number, table: string): string {
    return keyOfValue(modelIn(this.#grouped), key, `${table}.${this.keys[index]}`);
  }

  /** SQL for the groups of rows. Without keys, all rows form one group, even if there are none. */
  #groups(table: string, aggregates: string[]): string {
    const { keys } = this.#grouping;
    const columns = keys.map((key, index) => `${this.#key(key, index, table)} AS ${this.keys[index]}`);
    const by = this.keys.map((key) => `${table}.${key}`).join(', ');
    return `SELECT ${listed([...columns, ...aggregates])} FROM ${table}${by && ` GROUP BY ${by}`}`;
  }

  #source(isBefore: boolean): string {
    const of = modelIn(this.#grouped);
    const alias = this.#binding.alias();
    const keys = this.#grouping.keys.map((key, index) => {
      const value = valueOfKey(this.#binding, of, alias, key);
      return `${isBefore ? this.#moved(key, value) : value} AS ${this.keys[index]}`;
    });
    const from = this.#binding.later((run) => this.#from(run, alias, isBefore));
    return `SELECT ${listed([...keys, ...this.#measured.columns(alias)])} ${from}`;
  }

  #from(run: Binding, alias: string, isBefore: boolean): string {
    const { models, rows, conditions } = this.#grouped;
    const { within, where, beforeWhere, span, inGroups } = conditions(run);
    const also = inGroups(alias);
    if (isBefore && span) {
      const moment = `${alias}.${name(span.column)}`;
      const end = run.value(span.from, 'timestamptz');
      also.push(`${moment} >= ${before(run, span.timeZone, span)}`, `${moment} < ${end}`);
    }
    const chosen = isBefore && beforeWhere ? beforeWhere() : where;
    const joined = withJoins(models, rows, [...this.#grouping.keys, ...within.flat()]);
    return [fromWhere(models, run, joined, alias, chosen), ...also].join(' AND ');
  }

  #before(measures: Measure[]): { tables: string[]; columns: string[] } {
    const all = uniqueById(measures);
    const groups = this.#groups('psrc', this.#aggregates(all, 'p'));
    return {
      tables: [`psrc AS (${this.#source(true)})`, `prv AS (${groups})`],
      columns: all.map((measure) => `prv.${this.#named(measure, 'p')}`),
    };
  }

  /** Shifts a span of the previous time to the one that it is compared with. */
  #moved(key: GroupKey, expression: string): string {
    if (key.kind !== 'span') return expression;
    const shift = this.#binding.later((run) => {
      const { span } = this.#grouped.conditions(run);
      if (key.column !== span?.column) return '';
      const from = run.value(span.from, 'timestamptz');
      return ` + ${distance(run, key, from, before(run, span.timeZone, span))}`;
    });
    return `(${expression}${shift})`;
  }

  /** The groups including those without rows, for each combination of the other keys. */
  #filled(aggregates: string[]): string[] {
    const found = `(${this.#groups('src', aggregates)})`;
    const source = `src AS (${this.#source(false)})`;
    const [key] = filledOf(this.#grouping.keys);
    if (!key) return [source, `grp AS (${this.#having(this.#cumulated(found))})`];
    const index = this.#grouping.keys.indexOf(key);
    const empty = this.#stored.map((measure) => (isCount(measure) ? '0' : 'NULL'));
    const fill = { key, index, columns: this.keys, empty };
    return [
      source,
      `found AS ${found}`,
      ...fillTables(this.#binding, fill, (run) => this.#grouped.conditions(run).span),
      `grp AS (${this.#having(this.#cumulated(withEmpty(fill)))})`,
    ];
  }

  /** Groups with the sums of their measures over time, for each combination of the other keys. */
  #cumulated(groups: string): string {
    const { keys } = this.#grouping;
    if (this.#cumulative.length === 0) return groups;
    const time = this.keys.find((_, index) => keys[index]?.kind === 'span') ?? unsupported('a sum over no time');
    const others = this.keys.filter((key) => key !== time);
    const window = `(${others.length > 0 ? `PARTITION BY ${others.join(', ')} ` : ''}ORDER BY ${time})`;
    const sums = this.#cumulative.map(
      (measure) => `sum(u.${this.#named(measure, 'm')}) OVER ${window} AS ${this.#named(measure, 'c')}`,
    );
    return `(SELECT ${['u.*', ...sums].join(', ')} FROM ${groups} u)`;
  }

  /** Those of some groups that match the filter of groups, which finds their measures by name. */
  #having(groups: string): string {
    const { having } = this.#grouping;
    if (!having) return groups;
    const { models, rule, conditions } = this.#grouped;
    const table = tableOfGroups(having, modelOf(models, rule.model));
    const columns = new Set(
      having.map(({ name: called, measure }) => `g.${this.#named(measure, 'm')} AS ${name(called)}`),
    );
    const matches = this.#binding.later((run) => {
      const { having: where } = conditions(run);
      return where === matchNone ? 'false' : condition({ models, binding: run }, table, 'h', where ?? {});
    });
    return `SELECT h.* FROM (SELECT ${['g.*', ...columns].join(', ')} FROM ${groups} g) h WHERE ${matches}`;
  }

  #equal(one: string, other: string): string {
    return this.keys.map((key) => `${one}.${key} = ${other}.${key}`).join(' AND ') || 'true';
  }
}

const listed = (columns: string[]): string => (columns.length > 0 ? columns.join(', ') : '1 AS nothing');
