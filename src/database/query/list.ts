import type { Permission } from '../../core/permissions.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import type { GroupRule } from './group.ts';
import type { RankedSearch } from './ranked.ts';
import { within } from './row-limits.ts';

/** A Prisma condition, as data. */
export type Where = Record<string, unknown>;

/**
 * A column that a list can be sorted by. It has a value in every row, since a page is found by comparing with the one
 * before. Where a value may be missing, `columns` names two columns that the database derives from it, one for each
 * direction, in which a row without a value comes last.
 */
export type OrderColumn = { type: 'date' | 'text' | 'number'; columns?: { asc: string; desc: string } };

/**
 * How an argument of a filter becomes a condition on a column. `nullable` is said of a column that may have no value, and
 * held to the data model when the graph is made.
 */
export type FilterColumn =
  /** The column is one of the given values. */
  | { kind: 'in'; column: string; nullable?: true }
  /** The column is the given value. */
  | { kind: 'equals'; column: string; nullable?: true }
  /** The column is a time at or after `from` and before `to`. */
  | { kind: 'range'; column: string; nullable?: true }
  /** The column has a value (true) or none (false). */
  | { kind: 'present'; column: string }
  /** The column is a number that meets all that is given. */
  | { kind: 'number'; column: string; nullable?: true }
  /**
   * The column is a text that meets all that is given, case and accents aside. Of one that tells things apart, such as an
   * email, `equals` and `in` mean the very text, which is kept in lower case.
   */
  | { kind: 'text'; column: string; nullable?: true; isExact?: true }
  /** The column is a JSON object whose keys meet all that is given. */
  | { kind: 'keys'; column: string }
  /** A related row has the given value: `relation.column`. */
  | { kind: 'related'; relation: string; column: string }
  /** The related row, or one of many, meets the filter of its own list, whose permission that takes. */
  | { kind: 'relation'; relation: string; model: Prisma.ModelName; isMany?: true };

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
  /** How its rows are found by the words of what was said, when they are: best first where no order is asked for. */
  ranked?: RankedSearch;
  /** What its rows can be grouped and measured by, when they can. */
  groups?: GroupRule;
  /** What `analytics.read` opens without the list's own permission: counts and groups, by all but these columns. Left out: nothing. */
  analytics?: { except: readonly string[] };
  /** Columns that take a permission of their own to be told, filtered, sorted, grouped or measured by. */
  guarded?: Record<string, Permission>;
};

/** The usual row filter: rows of the viewer's workspace. */
export const ofWorkspace = (viewer: Viewer): Where => ({ workspaceId: viewer.workspaceId });

/** A list rule with the usual row filter, sorted by creation unless said otherwise. A key sees only its own rows of them. */
export function listRule<Rule extends Omit<ListRule, 'rows'> & Partial<Pick<ListRule, 'rows'>>>(
  rule: Rule,
): Rule & Pick<ListRule, 'rows'> {
  const { rows = ofWorkspace } = rule;
  const made = { ...rule, rows: (viewer: Viewer) => within(rule.model, viewer, rows(viewer)) };
  if (!rules.has(rule.model)) rules.set(rule.model, made);
  return made;
}

/** The first rule of each model: what a filter goes by that leads to its rows. */
const rules = new Map<Prisma.ModelName, ListRule>();

/** The rule that rows of a model are filtered by from elsewhere. */
export function ruleOf(model: Prisma.ModelName): ListRule {
  const rule = rules.get(model);
  if (!rule) throw new Error(`${model} rows are in no list`);
  return rule;
}

/** Whether a moment can be stored and is written with four digits for its year. */
export const isMoment = (date: Date): boolean => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;
