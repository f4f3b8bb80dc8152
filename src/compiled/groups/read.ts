import type { GraphQLSchema } from 'graphql';
import type { Context } from '../../context.ts';
import { invalid, ParleyError } from '../../core/errors.ts';
import { DatabaseTimeoutError } from '../../database/deadline.ts';
import type { Grouping, GroupKey } from '../../database/query/group.ts';
import type { ListRule, Where } from '../../database/query/list.ts';
import type { Page } from '../../database/query/pagination.ts';
import { Binding } from '../binding.ts';
import { type Datamodel, type Models, modelOf, readModels } from '../models.ts';
import { allRows, type Rows, relatedRows } from '../rows.ts';
import { name } from '../sql.ts';
import { ofGroup } from './keys.ts';
import { rowsOfGroups } from './rows-of-groups.ts';
import { type Answered, type FilteredSpan, type Grouped, groupsExpression } from './statement.ts';

/** The relation of a row whose rows are grouped, through a joining model or not. */
export type OfParent = { model: string; relation: string; through: string | undefined };
/** The keys of a group, whose rows alone are grouped. */
export type OfGroup = { keys: GroupKey[]; places: string[] };

/** Which rows are grouped: what a list's arguments say, without the row that it may belong to. */
export type Scope = {
  rule: ListRule;
  parent: OfParent | null;
  within: OfGroup[];
  where: Where;
  beforeWhere: (() => Where) | null;
  span: FilteredSpan | null;
};
export type Asked = { context: Context; schema: GraphQLSchema; datamodel: Datamodel; scope: Scope };

/** The groups of a list by one statement: for each of the parents that it belongs to, or as the only one for a root list. */
export async function readGroups(asked: Asked, grouping: Grouping, parents: readonly string[]): Promise<Answered[]> {
  const { binding, grouped } = prepare(asked);
  const groups = groupsExpression(binding, grouped, grouping);
  const { rows } = await run<{ id: string; groups: Answered }>(
    asked,
    binding,
    `SELECT ${asked.scope.parent ? 'p."id"' : "''"} AS "id", ${groups} AS "groups" ${fromParents(asked, binding, parents)}`,
  );
  const found = new Map(rows.map(({ id, groups: read }) => [id, read]));
  const none: Answered = { total: 0, more: false, overfilled: false, groups: [], other: null };
  return asked.scope.parent ? parents.map((id) => found.get(id) ?? none) : [found.get('') ?? none];
}

type PageOfGroups = { page: Page; keys: GroupKey[]; places: string[][]; parent: string | null };

/** The keys of the rows of one page of each group of a list, by one statement. */
export async function readIds(asked: Asked, { parent, ...of }: PageOfGroups): Promise<string[][]> {
  const { binding, grouped } = prepare(asked);
  const ids = rowsOfGroups(binding, grouped, of);
  const { rows } = await run<{ group: number; ids: string[] }>(
    asked,
    binding,
    parent === null
      ? ids
      : `SELECT x.* ${fromParents(asked, binding, [parent]).replace(' WHERE', `, LATERAL (${ids}) x WHERE`)}`,
  );
  const found = new Map(rows.map(({ group, ids: read }) => [group, read]));
  return of.places.map((_, index) => found.get(index) ?? []);
}

function prepare({ context, schema, datamodel, scope }: Asked): { binding: Binding; grouped: Grouped } {
  const models = modelsOf(datamodel);
  const binding = new Binding(context, schema, { sources: {}, coerced: {} } as never);
  const rows = rowsOf(models, scope);
  const within = (alias: string) => scope.within.flatMap((of) => ofGroup(binding, { model: rows.model, alias }, of));
  return { binding, grouped: { ...scope, models, rows, within } };
}

function rowsOf(models: Models, { rule, parent }: Scope): Rows {
  if (!parent) return allRows(modelOf(models, rule.model));
  return relatedRows(models, { model: modelOf(models, parent.model), alias: 'p' }, parent.relation, parent.through);
}

function fromParents({ scope, context, datamodel }: Asked, binding: Binding, parents: readonly string[]): string {
  if (!scope.parent) return '';
  const { model } = scope.parent;
  const ids = `p."id" = ANY(${binding.own(parents, 'text[]')})`;
  if (!modelOf(modelsOf(datamodel), model).columns.has('workspaceId')) return `FROM ${name(model)} p WHERE ${ids}`;
  return `FROM ${name(model)} p WHERE p."workspaceId" = ${binding.value(context.viewer.workspaceId, 'text')} AND ${ids}`;
}

/** Throws 503 `unavailable` when that takes longer than a request may. */
async function run<R extends object>(
  { context, scope }: Asked,
  binding: Binding,
  text: string,
): Promise<{ rows: R[] }> {
  try {
    return (await context.pool.query(text, binding.values)) as unknown as { rows: R[] };
  } catch (error) {
    if ((error as { code?: string }).code === unknownZone) throw invalid('timeZone: the database does not know it.');
    throw isTooSlow(error) ? tooSlow(scope) : error;
  }
}

/** invalid_parameter_value: JavaScript's list of time zones may be newer. */
const unknownZone = '22023';

const isTooSlow = (error: unknown): boolean =>
  error instanceof DatabaseTimeoutError || (error as { code?: string }).code === '57014';

function tooSlow({ rule }: Scope): ParleyError {
  const range = Object.entries(rule.filters).find(([, { kind }]) => kind === 'range')?.[0];
  const what = range ? `the span of filter.${range}` : 'the filter';
  return new ParleyError('unavailable', `groups: reading all rows of the list took too long. Narrow ${what}.`, {
    headers: { 'retry-after': '1' },
  });
}

const known = new WeakMap<Datamodel, Models>();

function modelsOf(datamodel: Datamodel): Models {
  const models = known.get(datamodel) ?? readModels(datamodel);
  known.set(datamodel, models);
  return models;
}

/** Whether a column may have no value, and whether its numbers are whole. */
export function columnOf(datamodel: Datamodel, model: string, column: string): { nullable: boolean; type: string } {
  const found = modelOf(modelsOf(datamodel), model).columns.get(column);
  if (!found) throw new Error(`${model} has no column ${column}`);
  return found;
}
