import { invalid } from '../../core/errors.ts';
import { filterCondition } from '../../database/query/filter.ts';
import { type Grouping, type GroupKey, type GroupRule, maxGroups } from '../../database/query/group.ts';
import type { ListRule, Where } from '../../database/query/list.ts';
import { permitGrouping } from '../../database/query/list-access.ts';
import type { Asking } from '../../database/query/moments.ts';
import { defaultPageSize, type ListArguments, planPage } from '../../database/query/pagination.ts';
import { unsupported } from '../unsupported.ts';
import { boundOf, readGroupCursor, sealOfGroups } from './cursor.ts';
import { type FilteredSpan, spanOf } from './filtered-span.ts';
import { allRows, sortFields } from './ids.ts';
import type { Selected } from './plan.ts';

/** The relation of a row whose rows are grouped, through a joining model or not. */
export type OfParent = { model: string; relation: string; through: string | undefined };

/** Which rows are grouped: what a list's arguments say, without the row and the groups that it may belong to. */
export type Scope = {
  rule: ListRule;
  parent: OfParent | null;
  /** The keys of the groups that the list lies within, the outermost first. */
  within: GroupKey[][];
  where: Where;
  /** The same without the span of time that the filter names, for the span before. */
  beforeWhere: (() => Where) | null;
  span: FilteredSpan | null;
};

export type GroupArguments = {
  first?: number | null;
  after?: string | null;
  orderBy?: { field: string; direction: 'asc' | 'desc' } | null;
};
/** The list whose groups are asked for. */
export type GroupedArguments = Pick<Scope, 'rule' | 'parent' | 'within'> & { args: ListArguments };

/** What is asked of the groups of a list. `bound` is what their cursors are bound to. */
export type GroupRequest = { scope: Scope; grouping: Grouping; bound: ReturnType<typeof boundOf> };

/**
 * Plans the groups of a list that lies within groups of these places; null: they are known only to the database. Throws 400
 * `invalid_request` and 403 `forbidden` naming the argument.
 */
export function planGroups(
  list: GroupedArguments,
  places: string[][] | null,
  selected: Selected,
  { args, asking }: { args: GroupArguments; asking: Asking },
): GroupRequest {
  const scope = scopeOf(list, asking, selected);
  const order = orderOf(list.rule.groups, args);
  permitGrouping(asking, list.rule, { ...selected, order });
  const size = sizeOf(args);
  const bound = boundOf(list, { keys: selected.keys, order });
  if (args.after && !places) unsupported('a cursor of groups within groups');
  const after = args.after ? readGroupCursor(args.after, sealOfGroups(bound, places ?? []), selected.keys) : null;
  return { scope, grouping: { ...selected, order, size, after }, bound };
}

function orderOf(rule: GroupRule | undefined, { orderBy }: GroupArguments): Grouping['order'] {
  if (!orderBy) return { by: allRows, direction: 'desc' };
  const by = rule && sortFields(rule).get(orderBy.field);
  if (!by) throw invalid(`orderBy.field: groups cannot be sorted by ${orderBy.field}.`);
  return { by, direction: orderBy.direction };
}

function sizeOf({ first }: GroupArguments): number {
  if (first != null && (first < 0 || first > maxGroups)) {
    throw invalid(`first: must be between 0 and ${maxGroups}, got ${first}.`);
  }
  return first ?? defaultPageSize;
}

function scopeOf({ rule, args, parent, within }: GroupedArguments, asking: Asking, selected: Selected): Scope {
  for (const measure of [...selected.measures, ...(selected.other ?? []), ...(selected.previous ?? [])]) {
    if (measure.aggregate === 'count') filterCondition(rule, measure.filter, asking);
  }
  const { filter, search } = args;
  const span = spanOf(rule, { filter, asking }, selected);
  const whereOf = (by: ListArguments['filter']) =>
    planPage(rule, { filter: by ?? null, search: search ?? null }, asking).where;
  return {
    rule,
    parent,
    within,
    where: whereOf(filter),
    beforeWhere: span && selected.previous ? () => whereOf({ ...filter, [span.argument]: null }) : null,
    span,
  };
}
