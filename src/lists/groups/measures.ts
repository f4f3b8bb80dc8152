import { filterCondition } from '../filter.ts';
import { isCount, type Measure } from '../group.ts';
import type { ListRule } from '../list.ts';
import type { Binding, TextBinding } from '../sql/binding.ts';
import { type Models, modelOf } from '../sql/models.ts';
import { name } from '../sql/sql.ts';
import { condition } from '../sql/where.ts';
import { unsupported } from '../unsupported.ts';
import { milliseconds } from './spans.ts';

type Of = { models: Models; binding: TextBinding; rule: ListRule };

/** The measured columns, by their names in the grouped rows. */
export class Measured {
  readonly #of: Of;
  readonly #columns = new Map<string, (alias: string) => string>();
  #filters = 0;
  readonly #aggregates = new Map<string, string>();

  constructor(of: Of) {
    this.#of = of;
  }

  /** Returns the expressions read from each row, with names. Call it once all measures are known. */
  columns(alias: string): string[] {
    return [...this.#columns].map(([called, make]) => `${make(alias)} AS ${called}`);
  }

  /** Returns the aggregate of a measure, over rows with the names of `columns`. */
  aggregate(measure: Measure): string {
    const existing = this.#aggregates.get(measure.id);
    if (existing) return existing;
    const aggregate = this.#make(measure);
    this.#aggregates.set(measure.id, aggregate);
    return aggregate;
  }

  #make(measure: Measure): string {
    if (measure.aggregate === 'count') {
      return measure.filter ? `count(*) FILTER (WHERE ${this.#filter(measure.filter)})` : 'count(*)';
    }
    if (measure.aggregate === 'ratio') {
      const [of, to] = [this.aggregate(measure.of), this.aggregate(measure.to)];
      return `${of}::double precision / nullif(${to}, 0)::double precision`;
    }
    if (measure.aggregate === 'cumulative') return unsupported('an aggregate of groups');
    const { models, rule } = this.#of;
    const column = modelOf(models, rule.model).columns.get(measure.column);
    if (!column) return unsupported(`${rule.model}.${measure.column}`);
    const subject = name(`c ${measure.column}`);
    this.#columns.set(subject, (alias) => `${alias}.${name(measure.column)}`);
    // A floating-point sum would depend on the order of the rows.
    const exact = column.type === 'Float' ? `${subject}::numeric` : subject;
    switch (measure.aggregate) {
      case 'distinct':
        return `count(DISTINCT ${subject})`;
      case 'sum':
        return `sum(${exact})`;
      case 'avg':
        return `avg(${exact})::double precision`;
      case 'p50':
      case 'p95':
        return `percentile_disc(0.${measure.aggregate.slice(1)}) WITHIN GROUP (ORDER BY ${subject})`;
      case 'min':
      case 'max':
        return `${measure.aggregate}(${subject})`;
    }
  }

  #filter(filter: Record<string, unknown>): string {
    const { models, binding, rule } = this.#of;
    this.#filters += 1;
    const called = name(`f ${this.#filters}`);
    const conditionOf = (run: Binding, alias: string) => {
      const where = filterCondition(rule, filter, run.context) ?? {};
      return condition({ models, binding: run }, modelOf(models, rule.model), alias, where);
    };
    this.#columns.set(called, (alias) => binding.later((run) => conditionOf(run, alias)));
    return called;
  }

  /** SQL for a measure for JSON: times in milliseconds since 1970. */
  written(measure: Measure, subject: string): string {
    if (measure.aggregate === 'cumulative') return this.written(measure.of, subject);
    if (measure.aggregate === 'count' || isCount(measure)) return `coalesce(${subject}, 0)`;
    if (measure.aggregate === 'ratio') return subject;
    const column = modelOf(this.#of.models, this.#of.rule.model).columns.get(measure.column);
    return column?.type === 'DateTime' ? milliseconds(subject) : subject;
  }
}
