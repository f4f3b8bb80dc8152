import type { GraphQLSchema } from 'graphql';
import type { Context } from '../../context.ts';
import { invalid, ParleyError } from '../../core/errors.ts';
import { DatabaseTimeoutError } from '../../database/deadline.ts';
import type { Dimension, Grouping, GroupKey } from '../group.ts';
import { type ListRule, rangeOf } from '../list.ts';
import type { Page } from '../pagination.ts';
import { Binding } from '../sql/binding.ts';
import { type Datamodel, modelOf, modelsOf } from '../sql/models.ts';
import type { PageKey } from '../sql/pages.ts';
import { rowsOf } from '../sql/rows.ts';
import { name } from '../sql/sql.ts';
import { isNullable, keyOf, typeOfKey } from './keys.ts';
import { type GroupsResult, noGroups, resultExpression } from './result.ts';
import { rowsOfGroups } from './rows-of-groups.ts';
import type { Scope } from './scope.ts';
import { type Grouped, modelIn } from './statement.ts';

/** The context for reading groups of lists. */
export type GroupReader = { context: Context; schema: GraphQLSchema; datamodel: Datamodel; scope: Scope };
/** One of the lists that a statement groups: its parent, and its positions in outer groups. */
export type ListPosition = { parentId: string | null; positions: string[][] };

/** Reads the groups of a list by one statement, for all of its parents and outer groups. */
export async function readGroups(
  reader: GroupReader,
  grouping: Grouping,
  lists: readonly ListPosition[],
): Promise<GroupsResult[]> {
  const { binding, grouped } = prepare(reader);
  const keyOfList = (list: ListPosition) => JSON.stringify([list.parentId, list.positions]);
  const different = [...new Map(lists.map((list) => [keyOfList(list), list])).values()];
  const result = resultExpression(binding, grouped, grouping);
  const { rows } = await run<{ n: number; result: GroupsResult }>(
    reader,
    binding,
    `SELECT l.n::int AS "n", ${result} AS "result" ${fromLists(reader, binding, different)}`,
  );
  const found = new Map(rows.map(({ n, result: read }) => [keyOfList(different[n - 1] as ListPosition), read]));
  return lists.map((list) => found.get(keyOfList(list)) ?? noGroups);
}

type PageOfGroups = { page: Page; keys: GroupKey[]; positions: string[][]; list: ListPosition };

/** Reads the keys of one page of rows, and one more, of each group, by one statement. */
export async function readKeys(
  reader: GroupReader,
  { list, page, keys, positions }: PageOfGroups,
): Promise<PageKey[][]> {
  const { binding, grouped } = prepare(reader);
  const columns = keys.map((_, index) => `g.k${index}`);
  const given = keys.map((key, index) =>
    arrayOf(
      binding,
      positions.map((position) => position[index] as string),
      key,
    ),
  );
  const from =
    keys.length > 0
      ? `unnest(${given.join(', ')}) WITH ORDINALITY AS g(${[...keys.map((_, index) => `k${index}`), 'n'].join(', ')})`
      : '(SELECT 1 AS n) g';
  const groups = { from, keys: columns, id: 'g.n' };
  const found = rowsOfGroups(binding, grouped, { page, keys, groups, withKeys: true });
  const { rows } = await run<{ grp: number; found: PageKey[] }>(
    reader,
    binding,
    `SELECT x.grp::int AS "grp", json_agg(x.key ORDER BY x.n) AS "found" ${fromLists(reader, binding, [list])}, LATERAL (${found}) x GROUP BY 1`,
  );
  const byGroup = new Map(rows.map((row) => [row.grp, row.found]));
  return positions.map((_, index) => byGroup.get(index + 1) ?? []);
}

function prepare({ context, schema, datamodel, scope }: GroupReader): { binding: Binding; grouped: Grouped } {
  const models = modelsOf(datamodel);
  const binding = new Binding(context, schema);
  const { rule, parent, within } = scope;
  const rows = rowsOf(models, rule.model, parent);
  const inGroups = (alias: string) =>
    columnsWithin(within).map(
      ({ key, column }) => `${keyOf(binding, modelIn({ models, rows }), alias, key)} = l.${column}`,
    );
  return { binding, grouped: { rule, models, rows, conditions: () => ({ ...scope, inGroups }) } };
}

/** The keys of the outer groups, with the columns that hold their positions. */
const columnsWithin = (within: GroupKey[][]) =>
  within.flatMap((keys, level) => keys.map((key, index) => ({ key, level, index, column: `w${level}_${index}` })));

/** SQL for the lists as a table `l`, numbered from 1, joined with their parents as `p`. */
function fromLists(
  { scope, context, datamodel }: GroupReader,
  binding: Binding,
  lists: readonly ListPosition[],
): string {
  const { parent, within } = scope;
  const columns = columnsWithin(within);
  const arrays = columns.map(({ key, level, index }) =>
    arrayOf(
      binding,
      lists.map(({ positions }) => positions[level]?.[index] as string),
      key,
    ),
  );
  const ids = binding.own(
    lists.map(({ parentId }) => parentId),
    'text[]',
  );
  const names = ['id', ...columns.map(({ column }) => column), 'n'];
  const table = `FROM unnest(${[ids, ...arrays].join(', ')}) WITH ORDINALITY AS l(${names.join(', ')})`;
  if (!parent) return table;
  // Of the viewer's workspace, by the parameter: Citus finds the node of the parents by it.
  const column = modelOf(modelsOf(datamodel), parent.model).columns.has('workspaceId') ? 'workspaceId' : 'id';
  const isOfWorkspace = column === 'workspaceId' || parent.model === 'Workspace';
  const workspace = isOfWorkspace ? ` AND p."${column}" = ${binding.value(context.viewer.workspaceId, 'text')}` : '';
  return `${table} JOIN ${name(parent.model)} p ON p."id" = l.id${workspace}`;
}

const arrayOf = (binding: Binding, positions: string[], key: GroupKey): string =>
  `${binding.own(positions, 'text[]')}::${typeOfKey(key)}[]`;

/** Runs a statement. Throws 503 `unavailable` if it takes longer than a request may. */
async function run<R extends object>(
  { context, scope }: GroupReader,
  binding: Binding,
  text: string,
): Promise<{ rows: R[] }> {
  try {
    return (await context.pool.query(text, binding.values)) as unknown as { rows: R[] };
  } catch (error) {
    if ((error as { code?: string }).code === unknownZone)
      throw invalid('timeZone: the database does not know this time zone: name another, such as America/Sao_Paulo.');
    throw isTooSlow(error) ? tooSlow(scope.rule) : error;
  }
}

/** invalid_parameter_value: JavaScript's time zone database may be newer. */
const unknownZone = '22023';

const isTooSlow = (error: unknown): boolean =>
  error instanceof DatabaseTimeoutError || (error as { code?: string }).code === '57014';

export function tooSlow(rule: ListRule): ParleyError {
  const range = rangeOf(rule);
  const narrow = range ? `Narrow the span of filter.${range}.` : 'Narrow the filter.';
  return new ParleyError('unavailable', `groups: reading all rows of the list took too long. ${narrow}`, {
    headers: { 'retry-after': '1' },
  });
}

/** Whether rows of a model may have no value of a key. */
export function mayLack(datamodel: Datamodel, model: string, dimension: Dimension): boolean {
  const models = modelsOf(datamodel);
  return isNullable({ models, model: modelOf(models, model) }, dimension);
}

/** Returns the nullability and type of a column. */
export function columnOf(datamodel: Datamodel, model: string, column: string): { nullable: boolean; type: string } {
  const found = modelOf(modelsOf(datamodel), model).columns.get(column);
  if (!found) throw new Error(`${model} has no column ${column}`);
  return found;
}
