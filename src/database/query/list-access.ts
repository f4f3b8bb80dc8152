import { forbidden } from '../../core/errors.ts';
import { may, type Permission, permit } from '../../core/permissions.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Dimension, Grouping, Measure } from './group.ts';
import type { ListRule } from './list.ts';

type Asking = { viewer: Viewer };
type Filter = Record<string, unknown> | null | undefined;
type Asked = { filter?: Filter; search?: string | null; orderBy?: { field: string } | null };

/** Whether the viewer may read the rows of a list, and not just aggregates. */
export const mayReadRows = ({ viewer }: Asking, { permission }: ListRule): boolean => may(viewer, permission);

/** Throws 403 `forbidden` unless the viewer may read the rows of a list. */
export const permitRows = (asking: Asking, { permission }: ListRule): void => permit(asking, permission);

/**
 * Throws 403 `forbidden` unless the viewer may count and group the rows that these arguments select. That takes the
 * list's permission or, for arguments that reveal no personal data or texts, `analytics.read`.
 */
export function permitNumbers(asking: Asking, rule: ListRule, { filter, search, orderBy }: Asked): void {
  if (mayReadRows(asking, rule) && !rule.guarded) return;
  if (!rule.analytics || !may(asking.viewer, 'analytics.read')) permitRows(asking, rule);
  if (search && !mayReadRows(asking, rule)) throw takes(rule.permission, 'search');
  if (orderBy) permitColumn(asking, rule, orderBy.field, 'orderBy.field');
  permitFilter(asking, rule, filter, 'filter');
}

/** Throws 403 `forbidden` unless the viewer may use all keys and measures of a grouping. */
export function permitGrouping(asking: Asking, rule: ListRule, grouping: Omit<Grouping, 'size' | 'after'>): void {
  if (mayReadRows(asking, rule) && !rule.guarded) return;
  for (const key of grouping.keys) {
    if (key.kind !== 'column') permitColumn(asking, rule, key.column, `by.${key.column}`);
    // Whether there is a value does not reveal the value.
    else if (key.dimension.kind !== 'present' || rule.guarded?.[key.dimension.column]) {
      permitColumn(asking, rule, key.dimension.column, `by.${nameOf(rule, key.dimension)}`);
    }
  }
  const { measures, other, previous, order } = grouping;
  const ordered: Measure[] = order.by === 'keys' ? [] : [order.by];
  for (const measure of [...measures, ...(other ?? []), ...(previous ?? []), ...ordered]) {
    if (measure.aggregate === 'count') permitFilter(asking, rule, measure.filter, 'count.filter');
    else permitColumn(asking, rule, measure.column, `${measure.aggregate}.${measure.column}`);
  }
}

/** A related row to group by: the fields selected of it, and the permission of its type. */
type RelatedRow = {
  name: string;
  dimension: Extract<Dimension, { kind: 'related' }>;
  fields: string[];
  read: Permission | undefined;
};

/** Throws 403 `forbidden` unless the viewer may read these fields of a related row to group by. */
export function permitRelated(asking: Asking, rule: ListRule, { name, dimension, fields, read }: RelatedRow): void {
  const missing = [rule.permission, read].find((permission) => permission && !may(asking.viewer, permission));
  if (!missing) return;
  const closed = fields.find((field) => field !== 'id' && !dimension.told?.includes(field));
  if (closed) throw takes(missing, `by.${name}.${closed}`);
}

function permitFilter(asking: Asking, rule: ListRule, filter: Filter, path: string): void {
  for (const [name, value] of Object.entries(filter ?? {})) {
    if (value === null || value === undefined) continue;
    const by = rule.filters[name];
    const place = `${path}.${name}`;
    if (name === 'and' || name === 'or' || name === 'not') {
      for (const part of [value].flat()) permitFilter(asking, rule, part as Filter, place);
    }
    // The related list checks its own part when the filter is read.
    if (!by || by.kind === 'relation') continue;
    if (by.kind !== 'present' || rule.guarded?.[by.column]) permitColumn(asking, rule, by.column, place);
  }
}

function permitColumn(asking: Asking, rule: ListRule, column: string, place: string): void {
  const guard = rule.guarded?.[column];
  if (guard && !may(asking.viewer, guard)) throw takes(guard, place);
  if (!guard && rule.analytics?.except.includes(column) && !mayReadRows(asking, rule))
    throw takes(rule.permission, place);
}

const takes = (permission: Permission, place: string) =>
  forbidden(`${place}: needs the permission ${permission}, which this role does not have. Leave it out.`);

const nameOf = ({ groups }: ListRule, dimension: Dimension): string =>
  Object.entries(groups?.by ?? {}).find(([, by]) => by === dimension)?.[0] ?? dimension.column;
