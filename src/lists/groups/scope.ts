import { invalid } from '../../core/errors.ts';
import { lazy } from '../../core/lazy.ts';
import type { Where } from '../../database/query/delegate.ts';
import { filterCondition } from '../filter.ts';
import { withoutSpans } from '../filter-spans.ts';
import { type Grouping, type GroupKey, type Measure, maxGroups } from '../group.ts';
import type { ListRule } from '../list.ts';
import { permitGrouping, permitRelated } from '../list-access.ts';
import { defaultPageSize, type ListArguments, whereOf } from '../pagination.ts';
import type { OfParent } from '../sql/rows.ts';
import type { QueryContext } from '../time/moments.ts';
import { unsupported } from '../unsupported.ts';
import { type Bound, boundOf, readGroupCursor, sealOfGroups } from './cursor.ts';
import { type FilteredSpan, filteredSpanOf, limitsOf } from './filtered-span.ts';
import { havingFilters, measuresIn } from './having.ts';
import { allRows, orderFields } from './ids.ts';
import { requireTime, type Selected } from './plan.ts';
import { type RatioArguments, ratioOf } from './ratio.ts';
import type { Limits } from './spans.ts';

/** The rows to group, by the list's arguments, without their parent and outer groups. */
export type Scope = {
  rule: ListRule;
  parent: OfParent | null;
  /** The keys of the outer groups, outermost first. */
  within: GroupKey[][];
  where: Where;
  /** The condition without the filter's time span, for the previous span. */
  beforeWhere: (() => Where) | null;
  span: FilteredSpan | null;
  /** The time that the values of a column are within. */
  limits: (column: string) => Limits;
  /** The condition on groups, whose columns are their measures; null if there is none. */
  having: Where | null;
};

export type GroupArguments = {
  first?: number | null;
  after?: string | null;
  having?: Record<string, unknown> | null;
  orderBy?: { field: string; ratio?: RatioArguments | null; direction: 'asc' | 'desc' } | null;
};
/** The list to group. `where` is the condition that its arguments lead to, if that is known. */
type GroupedArguments = Pick<Scope, 'rule' | 'parent' | 'within'> & { args: ListArguments; where?: Where };

/** The grouping of a list, and what its cursors are bound to. */
export type GroupRequest = { scope: Scope; grouping: Grouping; bound: () => Bound };

/**
 * Plans the groups of a list within outer groups at these positions; null if only the database knows the positions.
 * Throws 400 `invalid_request` and 403 `forbidden` naming the argument.
 */
export function planGroups(
  list: GroupedArguments,
  positions: string[][] | null,
  { related, ...selected }: Selected,
  { args, context }: { args: GroupArguments; context: QueryContext },
): GroupRequest {
  for (const row of related) permitRelated(context, list.rule, row);
  const scope = scopeOf(list, args, context, selected);
  const order = orderOf(list.rule, args);
  const having = args.having ? measuresIn(list.rule, args.having) : null;
  const { measures, other, previous } = selected;
  const checked = (measure: Measure, path: string): void => {
    if (measure.aggregate === 'count') filterCondition(list.rule, measure.filter, context, path);
    if (measure.aggregate !== 'ratio') return;
    checked(measure.of, `${path}.ofFilter`);
    checked(measure.to, `${path}.toFilter`);
  };
  for (const measure of [...measures, ...(other ?? []), ...(previous ?? [])]) checked(measure, 'filter');
  for (const { name, measure } of having ?? []) {
    checked(measure, 'having.ratio');
    if (measure.aggregate === 'cumulative') requireTime(selected.keys, `having.${name}`);
  }
  if (order.by !== 'keys' && order.by.aggregate === 'cumulative') requireTime(selected.keys, 'orderBy.field');
  if (order.by !== 'keys') checked(order.by, 'orderBy.ratio');
  permitGrouping(context, list.rule, { ...selected, having, order });
  const size = sizeOf(args);
  // Made on demand: a selection without cursors does not need it.
  const bound = lazy(() => boundOf(list, { keys: selected.keys, order, having: args.having }));
  if (args.after && !positions) unsupported('a cursor of groups within groups');
  const after = args.after ? readGroupCursor(args.after, sealOfGroups(bound(), positions ?? []), selected.keys) : null;
  return { scope, grouping: { ...selected, having, order, size, after }, bound };
}

function orderOf({ groups }: ListRule, { orderBy }: GroupArguments): Grouping['order'] {
  if (!orderBy) return { by: allRows, direction: 'desc' };
  const { field, ratio, direction } = orderBy;
  if (field === 'ratio') {
    if (!ratio || !groups) throw invalid('orderBy.ratio: name the ratio to sort by.');
    return { by: ratioOf(groups, ratio, 'orderBy.'), direction };
  }
  if (ratio) throw invalid(`orderBy.ratio: can only be given with the field ratio, not with ${field}.`);
  const by = groups && orderFields(groups).get(field);
  if (!by) throw invalid(`orderBy.field: groups cannot be sorted by ${field}.`);
  return { by, direction };
}

function sizeOf({ first }: GroupArguments): number {
  if (first != null && (first < 0 || first > maxGroups)) {
    throw invalid(`first: must be between 0 and ${maxGroups}, got ${first}: \`after\` pages the rest.`);
  }
  return first ?? defaultPageSize;
}

function scopeOf(
  { rule, args, parent, within, where }: GroupedArguments,
  { having }: GroupArguments,
  context: QueryContext,
  selected: Omit<Selected, 'related'>,
): Scope {
  const { filter, search } = args;
  const span = filteredSpanOf(rule, { filter, context }, selected);
  return {
    rule,
    parent,
    within,
    where: where ?? whereOf(rule, args, context),
    beforeWhere:
      span && selected.previous
        ? () =>
            whereOf(rule, { search: search ?? null, filter: withoutSpans(rule, filter ?? {}, span.column) }, context)
        : null,
    span,
    having: filterCondition({ filters: havingFilters(rule) }, having, context, 'having'),
    limits: limitsOf(rule, { filter, context }),
  };
}
