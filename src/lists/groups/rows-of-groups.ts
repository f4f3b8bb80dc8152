import type { GroupKey } from '../group.ts';
import type { Page } from '../pagination.ts';
import type { Binding } from '../sql/binding.ts';
import { pageKey } from '../sql/pages.ts';
import { fromWhere, orderBy } from '../sql/rows.ts';
import { name } from '../sql/sql.ts';
import { keyOf, withJoins } from './keys.ts';
import { type Grouped, modelIn } from './statement.ts';

/** The groups whose rows are read: the FROM item, the columns of their keys, and the identifying column. */
type GroupTable = { from: string; keys: readonly string[]; id: string };

/**
 * SQL for the ids of one page of rows of each group, in one pass: rows of `grp`, `id`, and `n`, their position. With
 * `withKeys`, also of `key`, their `PageKey`.
 */
export function rowsOfGroups(
  binding: Binding,
  grouped: Grouped,
  { page, keys, groups, withKeys }: { page: Page; keys: GroupKey[]; groups: GroupTable; withKeys?: boolean },
): string {
  const { keyset, query } = page;
  const { models, rows, rule, conditions } = grouped;
  const { within, where, inGroups } = conditions(binding);
  const alias = binding.alias();
  const joined = withJoins(models, rows, [...keys, ...within.flat()]);
  const both = { ...rows, from: (of: string) => `${joined.from(of, binding)}, ${groups.from}` };
  const isIn = keys.map((key, index) => `${keyOf(binding, modelIn(grouped), alias, key)} = ${groups.keys[index]}`);
  const found = [fromWhere(models, binding, both, alias, where, keyset), ...inGroups(alias), ...isIn].join(' AND ');
  const number = `row_number() OVER (PARTITION BY ${groups.id} ${orderBy(binding, rows.model, alias, query.orderBy)})`;
  const key = withKeys ? `, ${pageKey(binding, rows.model, alias, page)} AS key` : '';
  const id = `${alias}.${name(rule.key ?? 'id')}`;
  const numbered = `SELECT ${groups.id} AS grp, ${id} AS id, ${number} AS n${key} ${found}`;
  const skip = query.skip ?? 0;
  return `SELECT * FROM (${numbered}) numbered WHERE n > ${skip} AND n <= ${skip + query.take}`;
}
