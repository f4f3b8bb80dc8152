import type { GraphQLSchema } from 'graphql';
import type { Context } from '../../context.ts';
import type { Where } from '../../database/query/delegate.ts';
import type { Candidates } from '../../search/types.ts';
import { maxRowsSortedByKey } from '../key-order.ts';
import type { ListRule } from '../list.ts';
import type { Page } from '../pagination.ts';
import { isAmong, type RankedSearch } from '../ranked.ts';
import { Binding } from './binding.ts';
import { type Datamodel, type Model, type Models, modelOf, modelsOf, relationIn, typeOf } from './models.ts';
import { fromWhere, type OfParent, orderBy, type Rows, rowsOf } from './rows.ts';
import { name } from './sql.ts';
import { condition, valueOfKey } from './where.ts';

/** A list of all rows, or of a parent's rows. */
export type Listed = {
  context: Context;
  schema: GraphQLSchema;
  datamodel: Datamodel;
  rule: ListRule;
  parent: OfParent | null;
};

/** The columns of a row that its cursor is made of: its key, and what it is sorted by. */
export type PageKey = Record<string, unknown>;

/** SQL for a row's `PageKey`. */
export function pageKey(binding: Binding, model: Model, alias: string, { query, shape }: Page): string {
  const { key, sort } = shape.cursor;
  const column = `${alias}.${name(sort)}`;
  const { key: ofKey } = (query.orderBy[0]?.[sort] ?? {}) as { key?: string };
  const found = model.columns.get(sort);
  const value =
    ofKey !== undefined
      ? `jsonb_build_object(${binding.value(ofKey, 'text')}, ${valueOfKey(binding, column, ofKey)})`
      : found && typeOf(found) === 'timestamptz'
        ? `round(extract(epoch FROM ${column}) * 1000)::bigint`
        : column;
  return `json_build_object('${key}', ${alias}.${name(key)}, '${sort}', ${value})`;
}

/**
 * Returns the keys of a page's rows and one more, in reading order, for each parent; null for a list that has too many
 * rows to be sorted by a key.
 */
export const readKeys = (listed: Listed, planned: Page, parents: readonly string[]): Promise<(PageKey[] | null)[]> =>
  readEach<PageKey[] | null>(listed, parents, [], (binding, models, rows, alias) => {
    const { query, keyset, where, isByKey } = planned;
    const found = fromWhere(models, binding, rows, alias, where, keyset);
    const limits = `LIMIT ${query.take} OFFSET ${query.skip ?? 0}`;
    const key = pageKey(binding, rows.model, alias, planned);
    const page = `ARRAY(SELECT ${key} ${found} ${orderBy(binding, rows.model, alias, query.orderBy)} ${limits})`;
    if (!isByKey) return page;
    const all = `SELECT 1 ${fromWhere(models, binding, rows, alias, where)} LIMIT ${maxRowsSortedByKey + 1}`;
    return `CASE WHEN (SELECT count(*) FROM (${all}) c) <= ${maxRowsSortedByKey} THEN ${page} END`;
  });

/** Returns the number of rows of each parent, counting up to `max`. */
export const countRows = (
  listed: Listed,
  where: Where,
  { parents, max }: { parents: readonly string[]; max: number | null },
): Promise<number[]> =>
  readEach(listed, parents, 0, (binding, models, rows, alias) => {
    const found = fromWhere(models, binding, rows, alias, where);
    return `(SELECT count(*)::int FROM (SELECT 1 ${found}${max === null ? '' : ` LIMIT ${max}`}) c)`;
  });

/** A row of a list, and a message by which a search found it. */
type FoundRow = { id: string; message: string; number: number | null };

/**
 * Returns the rows of a list that match a condition and have a candidate message, in no particular order; one for each
 * message.
 */
export async function readFound(
  { context, schema, datamodel, rule }: Listed,
  where: Where,
  { column }: RankedSearch,
  candidates: Candidates,
): Promise<FoundRow[]> {
  const models = modelsOf(datamodel);
  const model = modelOf(models, rule.model);
  const binding = new Binding(context, schema);
  const bind = (value: unknown, type: string) => binding.value(value, type);
  const { workspaceId } = context.viewer;
  const { rows } = await context.pool.query<FoundRow>(
    `SELECT t."id", m."id" AS "message", m."searchNumber" AS "number" FROM "Message" m
     JOIN ${name(model.name)} t ON t."id" = m.${name(column)} AND t."workspaceId" = ${bind(workspaceId, 'text')}
     WHERE ${isAmong('m', workspaceId, candidates, bind)} AND ${condition({ models, binding }, model, 't', where)}`,
    binding.values,
  );
  return rows;
}

type Write = (binding: Binding, models: Models, rows: Rows, alias: string) => string;

/** Runs one statement for all parents, or for the list without a parent, whose id is empty. */
async function readEach<Value>(
  listed: Listed,
  parents: readonly string[],
  none: Value,
  write: Write,
): Promise<Value[]> {
  const { context, schema, datamodel, rule, parent } = listed;
  const models = modelsOf(datamodel);
  const binding = new Binding(context, schema);
  const rows = rowsOf(models, rule.model, parent);
  const value = write(binding, models, rows, binding.alias());
  const from = parent ? fromParents(binding, modelOf(models, parent.model), parents) : '';
  const id = parent ? 'p."id"' : "''";
  const read = await context.pool.query<{ id: string; value: Value }>(
    `SELECT ${id} AS "id", ${value} AS "value" ${from}`,
    binding.values,
  );
  const found = new Map(read.rows.map((row) => [row.id, row.value]));
  return parents.map((parent) => (found.has(parent) ? (found.get(parent) as Value) : none));
}

function fromParents(
  binding: Binding,
  model: { name: string; columns: Map<string, unknown> },
  parents: readonly string[],
) {
  const conditions = [`p."id" = ANY(${binding.own(parents, 'text[]')})`];
  if (model.columns.has('workspaceId')) {
    conditions.push(`p."workspaceId" = ${binding.value(binding.context.viewer.workspaceId, 'text')}`);
  }
  return `FROM ${name(model.name)} p WHERE ${conditions.join(' AND ')}`;
}

/** Returns the column by which the rows of a relation refer to their parent. */
export function parentColumn(datamodel: Datamodel, model: string, relation: string): string {
  const [, column] = relationIn(modelOf(modelsOf(datamodel), model), relation).on.find(([own]) => own === 'id') ?? [];
  if (!column) throw new Error(`${model}.${relation} is named by no id`);
  return column;
}
