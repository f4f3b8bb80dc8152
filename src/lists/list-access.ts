import type { GraphQLObjectType } from 'graphql';
import { forbidden } from '../core/errors.ts';
import { may, type Permission, permit } from '../core/permissions.ts';
import type { Viewer } from '../core/viewer.ts';
import { isLimitable, isLimited } from '../database/query/row-limits.ts';
import { type Dimension, type Grouping, type GroupKey, type Measure, partsOf } from './group.ts';
import { type ListRule, ruleOf } from './list.ts';

type ViewerContext = { viewer: Viewer };
type Filter = Record<string, unknown> | null | undefined;
type ListRequest = { filter?: Filter; search?: string | null; orderBy?: { field: string } | null };

/** The permission to read the rows of a type, which the schema notes on it. */
export const readPermissionOf = (type: GraphQLObjectType): Permission | undefined =>
  (type.extensions as { parleyRead?: Permission }).parleyRead;

/** Whether the viewer may read the rows of a list, and not just aggregates. */
export const mayReadRows = ({ viewer }: ViewerContext, { permission }: ListRule): boolean => may(viewer, permission);

/** Throws 403 `forbidden` unless the viewer may read the rows of a list. */
export const permitRows = (context: ViewerContext, { permission }: ListRule): void => permit(context, permission);

/**
 * Throws 403 `forbidden` unless the viewer may count and group the rows that these arguments select. That takes the
 * list's permission or, for arguments that reveal no personal data or texts, `analytics.read`: not that of a key
 * limited to some agents or bases if the rows belong to the whole workspace. `filterPath` is what errors call the
 * filter.
 */
export function permitNumbers(
  context: ViewerContext,
  rule: ListRule,
  { filter, search, orderBy }: ListRequest,
  filterPath = 'filter',
): void {
  if (mayReadRows(context, rule) && !rule.guarded) return;
  const reaches = !isLimited(context.viewer) || isLimitable(rule.model);
  if (!rule.analytics || !reaches || !may(context.viewer, 'analytics.read')) permitRows(context, rule);
  if (search && !mayReadRows(context, rule)) throw requires(context, rule.permission, 'search');
  if (orderBy) permitColumn(context, rule, orderBy.field, 'orderBy.field');
  permitFilter(context, rule, filter, filterPath);
}

/** Throws 403 `forbidden` unless the viewer may use all keys and measures of a grouping. */
export function permitGrouping(
  context: ViewerContext,
  rule: ListRule,
  grouping: Omit<Grouping, 'size' | 'after'>,
): void {
  for (const key of grouping.keys) permitKey(context, rule, key);
  if (mayReadRows(context, rule) && !rule.guarded) return;
  const { measures, other, previous, having, order } = grouping;
  const ordered: Measure[] = order.by === 'keys' ? [] : [order.by];
  for (const measure of [
    ...measures,
    ...(other ?? []),
    ...(previous ?? []),
    ...(having ?? []).map(({ measure }) => measure),
    ...ordered,
  ].flatMap(partsOf)) {
    if (measure.aggregate === 'count') permitFilter(context, rule, measure.filter, 'count.filter');
    else permitColumn(context, rule, measure.column, `${measure.aggregate}.${measure.column}`);
  }
}

function permitKey(context: ViewerContext, rule: ListRule, key: GroupKey): void {
  if (key.kind !== 'column') return permitColumn(context, rule, key.column, `by.${key.column}`);
  const { dimension } = key;
  const via = 'via' in dimension ? dimension.via : undefined;
  const holder = via ? ruleOf(via.model) : rule;
  // Whether there is a value does not reveal the value.
  if (dimension.kind === 'present' && !holder.guarded?.[dimension.column]) return;
  permitColumn(context, holder, dimension.column, `by.${nameOf(rule, dimension)}`);
}

/** A related row to group by: the fields selected of it, and the permission of its type. */
export type RelatedRow = {
  name: string;
  dimension: Extract<Dimension, { kind: 'related' }>;
  fields: string[];
  read: Permission | undefined;
};

/**
 * Throws 403 `forbidden` unless the viewer may read these fields of a related row to group by. `analytics.read` alone
 * opens the fields that name a group.
 */
export function permitRelated(
  context: ViewerContext,
  rule: ListRule,
  { name, dimension, fields, read }: RelatedRow,
): void {
  const missing = [rule.permission, read].find((permission) => permission && !may(context.viewer, permission));
  if (!missing) return;
  const allowed = may(context.viewer, 'analytics.read') ? (dimension.allowed ?? []) : [];
  const closed = fields.find((field) => field !== 'id' && !allowed.includes(field));
  if (closed) throw requires(context, missing, `by.${name}.${closed}`);
}

function permitFilter(context: ViewerContext, rule: ListRule, filter: Filter, path: string): void {
  for (const [name, value] of Object.entries(filter ?? {})) {
    if (value === null || value === undefined) continue;
    const by = rule.filters[name];
    const columnPath = `${path}.${name}`;
    if (name === 'and' || name === 'or' || name === 'not') {
      for (const part of [value].flat()) permitFilter(context, rule, part as Filter, columnPath);
    }
    // The related list checks its own part when the filter is read.
    if (!by || by.kind === 'relation') continue;
    if (by.kind !== 'present' || rule.guarded?.[by.column]) permitColumn(context, rule, by.column, columnPath);
  }
}

function permitColumn(context: ViewerContext, rule: ListRule, column: string, columnPath: string): void {
  const guard = rule.guarded?.[column];
  if (guard && !may(context.viewer, guard)) throw requires(context, guard, columnPath);
  if (!guard && rule.analytics?.except.includes(column) && !mayReadRows(context, rule))
    throw requires(context, rule.permission, columnPath);
}

function requires({ viewer }: ViewerContext, permission: Permission, columnPath: string) {
  const isScope = viewer.key && may({ role: viewer.role }, permission);
  const missing = isScope
    ? `the scope ${permission}, which this key does not have`
    : `the permission ${permission}, which the role ${viewer.role} does not have`;
  return forbidden(`${columnPath}: needs ${missing}. Leave it out.`);
}

const nameOf = ({ groups }: ListRule, dimension: Dimension): string =>
  Object.entries(groups?.by ?? {}).find(([, by]) => by === dimension)?.[0] ?? dimension.column;
