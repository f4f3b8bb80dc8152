import type { GroupKey } from '../../database/query/group.ts';
import type { Page } from '../../database/query/pagination.ts';
import type { Binding } from '../binding.ts';
import { fromWhere, orderBy } from '../rows.ts';
import { name } from '../sql.ts';
import { keyOf, typeOfKey } from './keys.ts';
import type { Grouped } from './statement.ts';

type Asked = { page: Page; keys: GroupKey[]; places: string[][] };

/** The keys of the rows of one page of each group, in one pass: rows of `group` (counted from 0) and `keys`. */
export function rowsOfGroups(binding: Binding, grouped: Grouped, { page, keys, places }: Asked): string {
  const { models, rows, within, rule } = grouped;
  const alias = binding.alias();
  const { beyond, query } = page;
  const expressions = keys.map((key) => keyOf(binding, rows.model, alias, key));
  const partition = expressions.length > 0 ? `PARTITION BY ${expressions.join(', ')} ` : '';
  const columns = [
    `${alias}.${name(rule.key ?? 'id')} AS id`,
    ...expressions.map((expression, index) => `${expression} AS k${index}`),
    `row_number() OVER (${partition}${orderBy(rows.model, alias, query.orderBy)}) AS rn`,
  ];
  const found = [fromWhere(models, binding, rows, alias, grouped.where, beyond), ...within(alias)].join(' AND ');
  const skip = query.skip ?? 0;
  const given = keys.map(
    (key, index) =>
      `${binding.own(
        places.map((place) => place[index]),
        'text[]',
      )}::${typeOfKey(key)}[]`,
  );
  const names = keys.map((_, index) => `k${index}`);
  const groups =
    keys.length > 0
      ? `unnest(${given.join(', ')}) WITH ORDINALITY AS g(${[...names, 'n'].join(', ')})`
      : '(SELECT 1 AS n) g';
  const equal = names.map((key) => `r.${key} = g.${key}`).join(' AND ') || 'true';
  return (
    `SELECT g.n::int - 1 AS "group", json_agg(r.id ORDER BY r.rn) AS "ids" FROM (SELECT ${columns.join(', ')} ${found}) r ` +
    `JOIN ${groups} ON ${equal} WHERE r.rn > ${skip} AND r.rn <= ${skip + query.take} GROUP BY g.n`
  );
}
