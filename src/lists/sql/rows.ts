import type { Where } from '../../database/query/delegate.ts';
import { limitOf } from '../../database/query/row-limits.ts';
import type { KeysetBound } from '../pagination.ts';
import { unsupported } from '../unsupported.ts';
import type { Binding } from './binding.ts';
import { type Model, type Models, modelOf, relationIn } from './models.ts';
import { name } from './sql.ts';
import { condition, equalities, rowComparison, valueOfKey } from './where.ts';

/** A row in a statement: its table and alias. `isViewer`: none, but the viewer itself. */
export type Row = { model: Model; alias: string; isViewer?: true };
/** The rows of a list: all rows of a table, or those of a relation, possibly through a joining table. */
export type Rows = {
  model: Model;
  from: (alias: string, binding: Binding) => string;
  /** The conditions that relate the rows to their parent, except on columns that a condition already fixes. */
  belongs: (alias: string, where: Where, binding: Binding) => string[];
};

/** All rows of a table. */
export const allRows = (model: Model): Rows => ({
  model,
  from: (alias) => `${name(model.name)} ${alias}`,
  belongs: () => [],
});

/** The rows of a relation of `row`; `through` names the relation of a joining table that leads to them. */
export function relatedRows(models: Models, row: Row, relationName: string, through?: string): Rows {
  const relation = relationIn(row.model, relationName);
  const near = modelOf(models, relation.model);
  if (!through) {
    const hasId = relation.on.some(([own]) => own === 'id');
    // The id alone identifies the parent. Given a second condition on the workspace, the planner would expect next to
    // no rows, and sort what an index returns in order.
    const needed = (where: Where) =>
      relation.on.filter(([own, theirs]) => !hasId || own === 'id' || !fixes(where, theirs));
    return {
      ...allRows(near),
      belongs: (alias, where, binding) => equalities(binding, needed(where), row.alias, alias),
    };
  }
  const far = relationIn(near, through);
  const model = modelOf(models, far.model);
  const joined = (alias: string) => `${alias}j`;
  return {
    model,
    from: (alias, binding) => {
      const on = equalities(binding, far.on, joined(alias), alias).join(' AND ');
      return `${name(near.name)} ${joined(alias)} JOIN ${name(model.name)} ${alias} ON ${on}`;
    },
    belongs: (alias, _where, binding) => equalities(binding, relation.on, row.alias, joined(alias)),
  };
}

/** Whether a condition fixes the value of a column. */
const fixes = (where: Where, column: string): boolean =>
  typeof where[column] === 'string' || [where.AND ?? []].flat().some((each) => fixes(each as Where, column));

/** A relation of a parent row, possibly through a joining model. */
export type OfParent = { model: string; relation: string; through: string | undefined };

/** The rows of a list: all of a model, or those of a parent whose alias is `p`. */
export const rowsOf = (models: Models, model: string, parent: OfParent | null): Rows =>
  parent
    ? relatedRows(models, { model: modelOf(models, parent.model), alias: 'p' }, parent.relation, parent.through)
    : allRows(modelOf(models, model));

/**
 * Returns `FROM … WHERE …` for the rows that match a condition, are accessible to the viewer's key, and are beyond the
 * bounds.
 */
export function fromWhere(
  models: Models,
  binding: Binding,
  rows: Rows,
  alias: string,
  where: Where,
  keyset: readonly KeysetBound[] = [],
): string {
  const scope = { models, binding };
  const conditions = [...rows.belongs(alias, where, binding), condition(scope, rows.model, alias, where)];
  const limit = limitOf(rows.model.name, binding.context.viewer);
  if (limit) conditions.push(condition(scope, rows.model, alias, limit));
  for (const bound of keyset) conditions.push(rowComparison(scope, rows.model, alias, bound));
  return `FROM ${rows.from(alias, binding)} WHERE ${conditions.join(' AND ')}`;
}

/** Reverses an order. */
export const reversed = (orders: Where[]): Where[] =>
  orders.map((order) =>
    Object.fromEntries(
      Object.entries(order).map(([column, how]) => {
        const { sort, nulls, ...key } = (typeof how === 'string' ? { sort: how } : how) as Record<string, string>;
        const turned = sort === 'asc' ? 'desc' : 'asc';
        return [column, { ...key, sort: turned, ...(nulls && { nulls: nulls === 'first' ? 'last' : 'first' }) }];
      }),
    ),
  );

/** Converts Prisma's `orderBy`, and orders by a key of JSON, to `ORDER BY …`. */
export function orderBy(binding: Binding, model: Model, alias: string, orders: Where[]): string {
  const terms = orders
    .flatMap((order) => Object.entries(order))
    .map(([column, how]) => {
      const { sort, nulls, key } = (typeof how === 'string' ? { sort: how } : how) as Record<
        string,
        string | undefined
      >;
      if (!model.columns.has(column) || (sort !== 'asc' && sort !== 'desc')) unsupported(`an order by ${column}`);
      const subject = `${alias}.${name(column)}`;
      const value = key === undefined ? subject : valueOfKey(binding, subject, key);
      return `${value} ${sort}${nulls ? ` NULLS ${nulls === 'first' ? 'FIRST' : 'LAST'}` : ''}`;
    });
  return `ORDER BY ${terms.join(', ')}`;
}
