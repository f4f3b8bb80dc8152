import { invalid } from '../../core/errors.ts';
import type { Permission } from '../../core/permissions.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import type { GroupRule } from './group.ts';

/** A Prisma condition, as data. */
export type Where = Record<string, unknown>;

/**
 * A column that a list can be sorted by. It has a value in every row, since a page is found by comparing with the one
 * before. Where a value may be missing, `columns` names two columns that the database derives from it, one for each
 * direction, in which a row without a value comes last.
 */
export type OrderColumn = { type: 'date' | 'text' | 'number'; columns?: { asc: string; desc: string } };

/** How an argument of a filter becomes a condition on a column. */
export type FilterColumn =
  /** The column is one of the given values. */
  | { kind: 'in'; column: string }
  /** The column is the given value. */
  | { kind: 'equals'; column: string }
  /** The column is a time at or after `from` and before `to`. */
  | { kind: 'range'; column: string }
  /** The column has a value (true) or none (false). */
  | { kind: 'present'; column: string }
  /** A related row has the given value: `relation.column`. */
  | { kind: 'related'; relation: string; column: string };

/**
 * All that a list of one model's rows obeys, in one place: who may list, which rows there are for a viewer, what they
 * can be sorted, filtered and searched by. Root and nested connections and every read by id use the same rule.
 */
export type ListRule = {
  model: Prisma.ModelName;
  permission: Permission;
  /** The row filter: a condition that is and-ed into every read. */
  rows: (viewer: Viewer) => Where;
  /** Named by column; the first is the default, and every list ends its order with the key. */
  orders: Record<string, OrderColumn>;
  defaultDirection?: 'asc' | 'desc';
  /** The text column that tells the rows of one list apart: `id` when left out. */
  key?: string;
  /** The rows that one page may have, where REST promises more at once than the usual 100. */
  maxPageSize?: number;
  filters: Record<string, FilterColumn>;
  /** The condition for a search term, when the list can be searched. */
  search?: (term: string, viewer: Viewer) => Where;
  /** What its rows can be grouped and measured by, when they can. */
  groups?: GroupRule;
};

/** The usual row filter: rows of the viewer's workspace. */
export const ofWorkspace = (viewer: Viewer): Where => ({ workspaceId: viewer.workspaceId });

/** A list rule with the usual row filter, sorted by creation unless said otherwise. */
export function listRule<Rule extends Omit<ListRule, 'rows'> & Partial<Pick<ListRule, 'rows'>>>(
  rule: Rule,
): Rule & Pick<ListRule, 'rows'> {
  return { rows: ofWorkspace, ...rule };
}

/** Whether a moment can be stored and is written with four digits for its year. */
export const isMoment = (date: Date): boolean => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;

/** The condition that a filter argument says, or null when it says nothing. Throws 400 `invalid_request` naming the key. */
export function filterCondition(rule: ListRule, filter: Record<string, unknown> | null | undefined): Where | null {
  const conditions = Object.entries(filter ?? {}).flatMap(([name, value]) => {
    const column = rule.filters[name];
    return column && value !== null && value !== undefined ? [columnCondition(column, value, `filter.${name}`)] : [];
  });
  return conditions.length > 0 ? { AND: conditions } : null;
}

/** Values that a list of a filter has at most: each is a parameter of the statement. */
export const mostValues = 1_000;

function columnCondition(filter: FilterColumn, value: unknown, name: string): Where {
  if (Array.isArray(value) && value.length > mostValues) {
    throw invalid(`${name}: must have at most ${mostValues} values, got ${value.length}`);
  }
  switch (filter.kind) {
    case 'in':
      return { [filter.column]: { in: value } };
    case 'equals':
      return { [filter.column]: value };
    case 'present':
      return { [filter.column]: value ? { not: null } : null };
    case 'related':
      return { [filter.relation]: { some: { [filter.column]: value } } };
    case 'range': {
      const { from, to } = value as { from?: Date | null; to?: Date | null };
      for (const [end, date] of Object.entries({ from, to })) {
        if (date && !isMoment(date)) throw invalid(`${name}.${end}: must be of the years 1 to 9999`);
      }
      return { [filter.column]: { ...(from && { gte: from }), ...(to && { lt: to }) } };
    }
  }
}
