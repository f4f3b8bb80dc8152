import type { InputFieldMap, InputRef, ObjectRef } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../src/context.ts';
import { notFound } from '../../src/core/errors.ts';
import { access, permit } from '../../src/core/permissions.ts';
import type { Viewer } from '../../src/core/viewer.ts';
import { delegateOf } from '../../src/database/query/delegate.ts';
import { complexityOfPage } from '../../src/graphql/price/index.ts';
import { estimateRows, isWholeWorkspace } from '../../src/lists/count.ts';
import type { ListRule } from '../../src/lists/list.ts';
import { mayReadRows, permitNumbers, permitRows } from '../../src/lists/list-access.ts';
import { type ListArguments, type Page, planPage } from '../../src/lists/pagination.ts';
import type { RankedSearch } from '../../src/lists/ranked.ts';
import { parentColumn } from '../../src/lists/sql/pages.ts';
import { builder } from '../builder.ts';
import { type AnyField, fieldOf } from './any-field.ts';
import { countFields } from './counts.ts';
import { datamodel } from './datamodel.ts';
import { type FilterTexts, filterInput } from './filters.ts';
import { groupFields } from './groups/groups.ts';
import type { GroupedList } from './groups/read.ts';
import type { AnyGroupTexts, GroupTexts } from './groups/texts.ts';
import { lazyFoundPage, lazyPage } from './lazy-page.ts';
import { listArguments, type OrderTexts, orderType } from './list-arguments.ts';
import { matchField, searchList } from './ranked.ts';
import { RelatedRows, type Selection } from './related-rows.ts';
import { readRelated } from './row-loaders.ts';
import { sqlPage } from './sql-pages.ts';

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;
type AnyRef = ObjectRef<Types, unknown>;
type Row = Record<string, unknown>;

/** Descriptions, for readers of the schema, of what a list's rule allows to sort, filter and search by. */
type Texts<Rule extends ListRule> = {
  orders: OrderTexts<Rule>;
  filter: FilterTexts<Rule>;
  search?: string;
  /** For a list with ranked search: the type of a match. */
  match?: unknown;
} & (Rule extends { groups: object } ? { groups: GroupTexts<Rule> } : object);
/** The list of one type: its connection, its arguments and its rule. */
export type List = {
  name: string;
  rule: ListRule;
  ref: AnyRef;
  connection: AnyRef;
  filter: InputRef | null;
  search: string | undefined;
  args: () => InputFieldMap;
};

const paths = [[{ name: 'nodes' }], [{ name: 'edges' }, { name: 'node' }]];

/** Declares the list of a type: `LeadConnection`, `LeadEdge`, `LeadFilter` and `LeadOrder`, by its rule. */
export function defineList<Rule extends ListRule>(ref: AnyRef, name: string, rule: Rule, texts: Texts<Rule>): List {
  const filter = filterInput(name, rule, texts.filter);
  const search = (rule.search ?? rule.ranked) && (texts.search ?? 'Text to search for.');
  const order = orderType(name, name, rule, texts.orders);
  const args = () => listArguments(rule, { order, filter, search });
  const groups = 'groups' in texts ? (texts.groups as AnyGroupTexts) : undefined;
  const grouped = { filter, connection: () => connection, rowsArgs: args };
  const connection: unknown = builder.connectionObject(
    {
      type: ref,
      name: `${name}Connection`,
      description: `A page of a list of ${name} rows.`,
      fields: (t): Record<string, AnyField> => ({ ...countFields(t), ...groupFields(t, name, rule, groups, grouped) }),
    },
    {
      name: `${name}Edge`,
      description: `A row of a list of ${name} rows, with its cursor.`,
      fields: (t): Record<string, AnyField> => (texts.match ? { match: matchField(t, texts.match) } : {}),
    },
  );
  return { name, rule, ref, connection: connection as AnyRef, filter, search, args };
}

/** The same list with other orders; `name` is the prefix of the order's type. */
export function reorder<Rule extends ListRule>(list: List, name: string, rule: Rule, orders: OrderTexts<Rule>): List {
  const order = orderType(name, list.name, rule, orders);
  return { ...list, rule, args: () => listArguments(rule, { ...list, order }) };
}

/** Returns a field of Query with all rows that the viewer may see. */
export function rootConnection(t: unknown, list: List, description: string): AnyField {
  const { rule } = list;
  return fieldOf(t)({
    type: list.connection,
    nullable: true,
    description,
    args: list.args(),
    extensions: { ...access(rule.permission), ...complexityOfPage(), parleyList: rule },
    async resolve(_root: unknown, args: ListArguments, context: Context, info: GraphQLResolveInfo) {
      permitNumbers(context, rule, args);
      if (rule.ranked && args.search) return foundPage(list, rule.ranked, { args, context, info }, null);
      const model = delegateOf(context.database, rule.model);
      const selection = queryFromInfo({ context, info, typeName: list.name, paths });
      const page = planPage(rule, args, context);
      const grouped = { rule, args, parent: null, within: [] };
      if (page.needsSql) {
        const { read, counts } = sqlPage({ rule, page, parent: null, typeName: list.name, paths, context, info });
        return lazyPage(read, counts, grouped);
      }
      return lazyPage(
        async () => {
          permitRows(context, rule);
          return page.connection(await model.findMany({ ...selection, ...page.query }));
        },
        {
          all: () => model.count({ where: page.where }),
          atMost: (rows: number) => model.count({ where: page.where, take: rows }),
          about: async () =>
            isWholeWorkspace(rule, args, context.viewer)
              ? estimateRows(context.pool, rule.model, context.viewer.workspaceId)
              : null,
        },
        grouped,
      );
    },
  });
}

/**
 * Returns a field of a row's type with the related rows, which are read in the same statement as the row, at any depth.
 * `through` names the relation of a joining model that leads to the rows.
 */
export function relatedConnection(
  t: unknown,
  relation: string,
  list: List,
  options: { description: string; through?: string },
): AnyField {
  const { rule } = list;
  const { description, through } = options;
  const { model } = t as { model: string };
  const related = new RelatedRows(relation, through);

  const planFor = (args: ListArguments, context: Context): Page => {
    permitNumbers(context, rule, args);
    return planPage(rule, args, context);
  };
  const select = (
    args: ListArguments,
    context: Context,
    nested: (query: object, options: object) => Selection,
    selected: () => ReadonlySet<string>,
  ) => {
    const page = rule.ranked && args.search ? null : orNull(() => planFor(args, context));
    // Errors are left to the field itself, and so is ranked search: the parent is read without the relation.
    if (!page || page.needsSql) return { select: { id: true } };
    const names = selected();
    return {
      select: {
        id: true,
        ...(names.has('totalCount') && related.selectCount(page)),
        ...(mayReadRows(context, rule) &&
          [...names].some((name) => !rowlessFields.has(name)) &&
          related.selectRows(page, nested({}, { getType: () => list.name, paths }))),
      },
    };
  };

  return fieldOf(t)({
    type: list.connection,
    nullable: true,
    description,
    args: list.args(),
    extensions: {
      ...complexityOfPage(({ search }) => (rule.ranked && search ? 10 : 1)),
      pothosPrismaSelect: select,
      parleyList: rule,
      parleyRelation: relation,
      parleyThrough: through,
    },
    resolve(parent: Row, args: ListArguments, context: Context, info: GraphQLResolveInfo) {
      const of = { model, relation, through, id: String(parent.id) };
      if (rule.ranked && args.search) {
        permitNumbers(context, rule, args);
        return foundPage(list, rule.ranked, { args, context, info }, of);
      }
      const page = planFor(args, context);
      const grouped = { rule, args, parent: of, within: [] };
      if (page.needsSql) {
        const paged = sqlPage({ ...grouped, page, typeName: list.name, paths, context, info });
        return lazyPage(paged.read, paged.counts, grouped);
      }
      const read = (what: Row) => readRelated(context, { model, select: what }, String(parent.id));
      const pageIn = (row: Row | null) => page.connection(related.rowsIn(row));
      const counts = {
        all: () => related.countIn(parent),
        atMost: async (rows: number) => related.rowsIn(await read(related.selectUpTo(page, rows))).length,
        about: async () => null,
      };
      const refuse = async () => {
        permitRows(context, rule);
        return pageIn(null);
      };
      if (!mayReadRows(context, rule)) return lazyPage(refuse, counts, grouped);
      if (info.fieldNodes.length === 1) return { ...pageIn(parent), counts, list: grouped };
      // Pothos plans each occurrence of a field separately. If one of them is compatible with the parent's query and
      // another is not, the parent holds the rows of the wrong list: a field that occurs several times is therefore
      // read separately.
      const all = async () => related.countIn(await read(related.selectCount(page)));
      const selection = () => related.selectRows(page, queryFromInfo({ context, info, typeName: list.name, paths }));
      return lazyPage(async () => pageIn(await read(selection())), { ...counts, all }, grouped);
    },
  });
}

type Parent = NonNullable<GroupedList['parent']>;

/** Returns what a ranked search finds in a list, which may be that of a parent row. */
async function foundPage(
  { name, rule }: List,
  ranked: RankedSearch,
  { args, context, info }: { args: ListArguments; context: Context; info: GraphQLResolveInfo },
  parent: Parent | null,
) {
  const belongs = parent && { [parentColumn(datamodel, parent.model, parent.relation)]: parent.id };
  const request = { context, schema: info.schema, rule, args, ...(belongs && { belongs }) };
  const found = await searchList(request, ranked);
  const selection = queryFromInfo({ context, info, typeName: name, paths });
  return lazyFoundPage(found, { args, parent }, (ids) => {
    permitRows(context, rule);
    const where = { workspaceId: context.viewer.workspaceId, id: { in: ids } };
    return delegateOf(context.database, rule.model).findMany({ ...selection, where });
  });
}

function orNull<Value>(make: () => Value): Value | null {
  try {
    return make();
  } catch {
    return null;
  }
}

/** Fields of a list that do not read its rows. */
const rowlessFields = new Set(['totalCount', 'countUpTo', 'groups', '__typename']);

/** Returns a field of Query with one row by id: 404 `not_found` if the viewer cannot see such a row. */
export function rootRow(t: unknown, list: List, description: string): AnyField {
  const { rule } = list;
  const where = ({ id }: { id: string }, viewer: Viewer) => ({ AND: [rule.rows(viewer), { id }] });
  return fieldOf(t)({
    type: list.ref,
    nullable: true,
    description,
    args: builder.args((a) => ({ id: a.id({ required: true, description: `ID of the ${list.name}.` }) })),
    extensions: { ...access(rule.permission), parleyRow: { permission: rule.permission, where } },
    async resolve(_root: unknown, args: { id: string }, context: Context, info: GraphQLResolveInfo) {
      permit(context, rule.permission);
      const selection = queryFromInfo({ context, info });
      const row = await delegateOf(context.database, rule.model).findFirst({
        ...selection,
        where: where(args, context.viewer),
      });
      if (!row) throw notFound(rule.model);
      return row;
    },
  });
}
