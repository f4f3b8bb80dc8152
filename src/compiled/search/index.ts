import type { GraphQLSchema } from 'graphql';
import type { Context } from '../../context.ts';
import type { ListRule, Where } from '../../database/query/list.ts';
import type { Page } from '../../database/query/pagination.ts';
import { type Candidates, isAmong, type RankedSearch } from '../../database/query/ranked.ts';
import { Binding } from '../sql/binding.ts';
import { type Datamodel, modelOf, modelsOf, relationIn } from '../sql/models.ts';
import { type PageKey, pageKey } from '../sql/pages.ts';
import { allRows, fromWhere, orderBy } from '../sql/rows.ts';
import { name } from '../sql/sql.ts';
import { condition } from '../sql/where.ts';

/** A list with a search in messages, and its context. */
export type Searched = { context: Context; schema: GraphQLSchema; datamodel: Datamodel; rule: ListRule };
/** A row of the list, and a message that matched. */
export type FoundRow = { id: string; message: string; number: number | null };

/**
 * Returns the rows that match a condition and have a candidate message, in no particular order; one for each message.
 */
export async function readFound(
  searched: Searched,
  where: Where,
  { column }: RankedSearch,
  candidates: Candidates,
): Promise<FoundRow[]> {
  const { binding, models, model } = prepare(searched);
  const bind = (value: unknown, type: string) => binding.value(value, type);
  const { workspaceId } = searched.context.viewer;
  const among = isAmong('m', workspaceId, candidates, bind);
  const { rows } = await searched.context.pool.query<FoundRow>(
    `SELECT t."id", m."id" AS "message", m."searchNumber" AS "number" FROM "Message" m
     JOIN ${name(model.name)} t ON t."id" = m.${name(column)} AND t."workspaceId" = ${bind(workspaceId, 'text')}
     WHERE ${among} AND ${condition({ models, binding }, model, 't', where)}`,
    binding.values,
  );
  return rows;
}

/** Returns the keys of a page's rows and one more, in reading order. */
export async function readPage(searched: Searched, page: Page): Promise<PageKey[]> {
  const { where, keyset, query } = page;
  const { binding, models, model } = prepare(searched);
  const found = fromWhere(models, binding, allRows(model), 't', where, keyset);
  const offset = query.skip ? ` OFFSET ${binding.value(query.skip, 'bigint')}` : '';
  const { rows } = await searched.context.pool.query<{ key: PageKey }>(
    `SELECT ${pageKey(binding, model, 't', page)} AS "key" ${found} ${orderBy(binding, model, 't', query.orderBy)} LIMIT ${query.take}${offset}`,
    binding.values,
  );
  return rows.map(({ key }) => key);
}

/** Returns the number of rows that match a condition, counting up to `atMost`. */
export async function countFound(searched: Searched, where: Where, atMost?: number): Promise<number> {
  const { binding, models, model } = prepare(searched);
  const found = fromWhere(models, binding, allRows(model), 't', where);
  const limit = atMost === undefined ? '' : ` LIMIT ${atMost}`;
  const { rows } = await searched.context.pool.query<{ count: number }>(
    `SELECT count(*)::int AS "count" FROM (SELECT ${found}${limit}) f`,
    binding.values,
  );
  return rows[0]?.count ?? 0;
}

function prepare({ context, schema, datamodel, rule }: Searched) {
  const models = modelsOf(datamodel);
  const binding = new Binding(context, schema, { sources: {}, coerced: {} } as never);
  return { binding, models, model: modelOf(models, rule.model) };
}

/** Returns the column by which the rows of a relation refer to their parent. */
export function parentColumn(datamodel: Datamodel, model: string, relation: string): string {
  const [, column] = relationIn(modelOf(modelsOf(datamodel), model), relation).on.find(([own]) => own === 'id') ?? [];
  if (!column) throw new Error(`${model}.${relation} is named by no id`);
  return column;
}
