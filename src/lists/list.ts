import type { Permission } from '../core/permissions.ts';
import type { Viewer } from '../core/viewer.ts';
import type { Prisma } from '../database/generated/prisma/client.ts';
import type { Where } from '../database/query/delegate.ts';
import { limitRows } from '../database/query/row-limits.ts';
import type { GroupRule } from './group.ts';
import type { RankedSearch } from './ranked.ts';

/**
 * A column that a list can be sorted by. It must not be null, since keyset pagination compares values. For a nullable
 * one, `columns` names two generated columns, one per direction, which sort missing values last.
 */
export type OrderColumn =
  | { type: 'date' | 'text' | 'number'; columns?: { asc: string; desc: string } }
  /** The column is a JSON object, whose rows are sorted by the value of a key, up to `maxRowsSortedByKey` of them. */
  | { type: 'key' };

/**
 * How a filter argument becomes a condition on a column. `nullable` must match the data model, which is checked when
 * the schema is built.
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
  /** The column is a number that meets all operators. */
  | { kind: 'number'; column: string; nullable?: true }
  /**
   * The column is a text that meets all operators, ignoring case and accents. With `isExact`, for identifiers such as
   * emails, `equals` and `in` compare exactly with the stored lower-case text.
   */
  | { kind: 'text'; column: string; nullable?: true; isExact?: true }
  /** The column is a JSON object that meets all conditions on keys. */
  | { kind: 'keys'; column: string }
  /** A related row has the given value: `relation.column`. */
  | { kind: 'related'; relation: string; column: string }
  /** The related row, or one of several, matches the filter of its own list, which takes that list's permission. */
  | { kind: 'relation'; relation: string; model: Prisma.ModelName; isMany?: true };

/**
 * The rules of a list of one model, in one place: who may list, which rows a viewer sees, and what they can be sorted,
 * filtered and searched by. Root and nested connections and every read by id use the same rule.
 */
export type ListRule = {
  model: Prisma.ModelName;
  permission: Permission;
  /** The row filter: a condition that is added to every read. */
  rows: (viewer: Viewer) => Where;
  /** By column; the first is the default, and the key breaks ties. */
  orders: Record<string, OrderColumn>;
  defaultDirection?: 'asc' | 'desc';
  /** The text column that identifies a row within a list; by default `id`. */
  key?: string;
  /** Maximum page size, where REST allows more than the usual 100. */
  maxPageSize?: number;
  filters: Record<string, FilterColumn>;
  /** The condition for a search term, if the list can be searched. */
  search?: (term: string, viewer: Viewer) => Where;
  /** Full-text search in messages, if supported: best match first by default. */
  ranked?: RankedSearch;
  /** What its rows can be grouped and measured by, if supported. */
  groups?: GroupRule;
  /** Allows counts and groups with `analytics.read` instead of the list's permission, except by these columns. */
  analytics?: { except: readonly string[] };
  /** Columns that require a separate permission to be read, filtered, sorted, grouped or measured by. */
  guarded?: Record<string, Permission>;
};

/** The usual row filter: rows of the viewer's workspace. */
export const ofWorkspace = (viewer: Viewer): Where => ({ workspaceId: viewer.workspaceId });

/** Creates a list rule with the usual row filter. Also restricts a limited key to its own rows. */
export function listRule<Rule extends Omit<ListRule, 'rows'> & Partial<Pick<ListRule, 'rows'>>>(
  rule: Rule,
): Rule & Pick<ListRule, 'rows'> {
  const { rows = ofWorkspace } = rule;
  const made = { ...rule, rows: (viewer: Viewer) => limitRows(rule.model, viewer, rows(viewer)) };
  if (!rules.has(rule.model)) rules.set(rule.model, made);
  return made;
}

/** The first rule of each model, used by filters through relations. */
const rules = new Map<Prisma.ModelName, ListRule>();

/** Returns the rule for filtering rows of a model through a relation. */
export function ruleOf(model: Prisma.ModelName): ListRule {
  const rule = rules.get(model);
  if (!rule) throw new Error(`${model} rows are in no list`);
  return rule;
}

/** Whether a date can be stored and has a four-digit year. */
export const isMoment = (date: Date): boolean => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;

/** The argument by which a list is narrowed to a span of time; null if it has none. */
export const rangeOf = ({ filters }: ListRule): string | null =>
  Object.entries(filters).find(([, { kind }]) => kind === 'range')?.[0] ?? null;
