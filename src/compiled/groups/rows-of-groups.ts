import type { GroupKey } from '../../database/query/group.ts';
import type { Page } from '../../database/query/pagination.ts';
import type { Binding } from '../binding.ts';
import { fromWhere, orderBy } from '../rows.ts';
import { name } from '../sql.ts';
import { keyOf } from './keys.ts';
import type { Grouped } from './statement.ts';

/** The groups whose rows are read: what stands in FROM, the columns of their keys, and the column that tells them apart. */
export type GroupTable = { from: string; keys: readonly string[]; id: string };

/** The keys of the rows of one page of each group, in one pass: a query of `grp`, `id`, and `n`, their order. */
export function rowsOfGroups(
  binding: Binding,
  { models, rows, rule, where, inGroups }: Grouped,
  { page: { beyond, query }, keys, groups }: { page: Page; keys: GroupKey[]; groups: GroupTable },
): string {
  const alias = binding.alias();
  const both = { ...rows, from: (of: string) => `${rows.from(of)}, ${groups.from}` };
  const isIn = keys.map((key, index) => `${keyOf(binding, rows.model, alias, key)} = ${groups.keys[index]}`);
  const found = [fromWhere(models, binding, both, alias, where, beyond), ...inGroups(alias), ...isIn].join(' AND ');
  const number = `row_number() OVER (PARTITION BY ${groups.id} ${orderBy(rows.model, alias, query.orderBy)})`;
  const numbered = `SELECT ${groups.id} AS grp, ${alias}.${name(rule.key ?? 'id')} AS id, ${number} AS n ${found}`;
  const skip = query.skip ?? 0;
  return `SELECT * FROM (${numbered}) numbered WHERE n > ${skip} AND n <= ${skip + query.take}`;
}
