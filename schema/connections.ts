import type { FieldRef, InputFieldMap, ObjectRef } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { permit } from '../src/auth/permissions.ts';
import type { Context, Viewer } from '../src/context.ts';
import type { ListRule } from '../src/database/list.ts';
import {
  defaultPageSize,
  type ListArguments,
  maxPageSize,
  type PageOfRows,
  planPage,
} from '../src/database/pagination.ts';
import { notFound } from '../src/errors.ts';
import { builder } from './builder.ts';

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;
type AnyField = FieldRef<Types, unknown>;
type AnyRef = ObjectRef<Types, unknown>;
type ConnectionShape = PageOfRows & { totalCount: number | (() => Promise<number>) };
type Row = Record<string, unknown>;

/** What a filter argument is in GraphQL. A `range` is always a DateTimeRange and `present` a Boolean. */
type FilterArgument = { description: string; type?: unknown };
/** What the domain's rule says a list can be sorted and filtered by, told to the person who reads the schema. */
type Texts<Rule extends ListRule> = {
  orders: { [Column in keyof Rule['orders']]: string };
  filter: { [Name in keyof Rule['filters']]: FilterArgument };
  search?: string;
};
/** A list of one type: its connection, filter and order types, and the rule that they obey. */
export type List = { name: string; rule: ListRule; ref: AnyRef; connection: AnyRef; args: () => InputFieldMap };

const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Which end of a list comes first. Rows without a value come last either way.',
  values: {
    asc: { description: 'Smallest, oldest or alphabetically first.' },
    desc: { description: 'Largest, newest or alphabetically last.' },
  } as const,
});

const DateTimeRange = builder.inputType('DateTimeRange', {
  description: 'A span of time, half-open: `from` is in it, `to` is not. Leave one out for an open end.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'The first moment of the span.' }),
    to: t.field({ type: 'DateTime', description: 'The first moment after the span.' }),
  }),
});

const paths = [[{ name: 'nodes' }], [{ name: 'edges' }, { name: 'node' }]];

/** Declares the list of a type: `LeadConnection`, `LeadEdge`, `LeadFilter`, `LeadOrder` of the rule that it obeys. */
export function defineList<Rule extends ListRule>(ref: unknown, name: string, rule: Rule, texts: Texts<Rule>): List {
  const connection = builder.connectionObject(
    {
      type: ref as never,
      name: `${name}Connection`,
      description: `A page of a list of ${name} rows.`,
      fields: (t) => ({
        totalCount: t.int({
          description: 'How many rows the whole list has, whatever the page. Counted only when asked for.',
          resolve: (connection) => countOf(connection as unknown as ConnectionShape),
        }),
      }),
    },
    { name: `${name}Edge`, description: `A ${name} and its place in the list.` },
  );
  const field = builder.enumType(`${name}OrderField`, {
    description: `What a list of ${name} rows can be sorted by.`,
    values: Object.fromEntries(Object.entries(texts.orders).map(([key, description]) => [key, { description }])),
  });
  const order = builder.inputType(`${name}Order`, {
    description: `The order of a list of ${name} rows; equal rows are ordered by id.`,
    fields: (t) => ({
      field: t.field({ type: field, required: true, description: 'What to sort by.' }),
      direction: t.field({ type: OrderDirection, required: true, description: 'Which end comes first.' }),
    }),
  });
  const entries = Object.entries<FilterArgument>(texts.filter);
  const filter =
    entries.length > 0
      ? builder.inputType(`${name}Filter`, {
          description: `Which ${name} rows to list: those that meet every condition given.`,
          fields: (t) =>
            Object.fromEntries(
              entries.map(([key, argument]) => {
                const type = filterType(rule.filters[key]?.kind, argument);
                return [key, t.field({ type: type as never, description: argument.description })];
              }),
            ) as never,
        })
      : null;
  const search = rule.search && (texts.search ?? 'Text to find.');
  const usual = `${Object.keys(rule.orders)[0]}, ${rule.defaultDirection ?? 'desc'}`;
  const args = () => listArguments({ order, usual, filter, search, max: rule.maxPageSize ?? maxPageSize });
  return { name, rule, ref: ref as AnyRef, connection: connection as never, args };
}

const countOf = ({ totalCount }: ConnectionShape) => (typeof totalCount === 'function' ? totalCount() : totalCount);

function filterType(kind: string | undefined, { type }: FilterArgument): unknown {
  if (kind === 'range') return DateTimeRange;
  if (kind === 'present') return 'Boolean';
  return kind === 'in' ? [type] : type;
}

type ArgumentTypes = { order: unknown; usual: string; filter: unknown; search: string | undefined; max: number };

function listArguments({ order, usual, filter, search, max }: ArgumentTypes) {
  const args = builder.args((t) => ({
    first: t.int({
      description: `How many rows, 1 to ${max}; ${defaultPageSize} when neither first nor last is given.`,
    }),
    after: t.string({ description: 'Rows after this cursor.' }),
    last: t.int({ description: `How many rows from the end, 1 to ${max}.` }),
    before: t.string({ description: 'Rows before this cursor.' }),
    offset: t.int({
      description: 'How many rows to pass over; for numbered pages. Cursors are better for long lists.',
    }),
    orderBy: t.field({ type: order as never, description: `The order of the list; ${usual} when left out.` }),
    ...(filter ? { filter: t.field({ type: filter as never, description: 'Which rows to list.' }) } : {}),
    ...(search ? { search: t.string({ description: search }) } : {}),
  }));
  return args as unknown as InputFieldMap;
}

/** A nested list costs as many times its fields as it may have rows. */
const complexity = ({ first, last }: ListArguments) => ({ field: 1, multiplier: first ?? last ?? defaultPageSize });

/** The list of all rows that the viewer may see, as a field of Query. */
export function rootConnection(t: unknown, list: List, description: string): AnyField {
  const { rule } = list;
  return (t as { field: (options: object) => AnyField }).field({
    type: list.connection,
    description,
    complexity,
    args: list.args(),
    extensions: { parleyList: rule },
    resolve(_root: unknown, args: ListArguments, context: Context, info: GraphQLResolveInfo) {
      permit(context, rule.permission);
      const page = planPage(rule, args, context.viewer);
      const model = delegate(context, rule);
      const selection = queryFromInfo({ context, info, typeName: list.name, paths });
      let rows: Promise<PageOfRows> | undefined;
      // Rows are read only when the operation asks for them: a dashboard may ask for the count alone.
      const load = () => {
        rows ??= model.findMany({ ...selection, ...page.query }).then(page.connection);
        return rows;
      };
      return {
        get edges() {
          return load().then(({ edges }) => edges);
        },
        get pageInfo() {
          return load().then(({ pageInfo }) => pageInfo);
        },
        totalCount: () => model.count({ where: page.where }),
      };
    },
  });
}

/**
 * The list of the rows that belong to another row, as a field of that row's type. It is folded into the statement that
 * reads the parent, whatever the depth. `through` names the relation of a joining model that leads to the rows.
 */
export function relatedConnection(
  t: unknown,
  relation: string,
  list: List,
  options: { description: string; through?: string },
): AnyField {
  const { rule } = list;
  const { description, through } = options;
  const nest = (condition: object) => (through ? { [through]: condition } : condition);

  const select = (
    args: ListArguments,
    context: Context,
    nested: (query: object, options: object) => { select?: object; include?: object },
    selected: () => ReadonlySet<string>,
  ) => {
    permit(context, rule.permission);
    const { where, query } = planPage(rule, args, context.viewer);
    const names = selected();
    const rows = whole(nested({}, { getType: () => list.name, paths }));
    const page = { ...query, where: nest(query.where), orderBy: query.orderBy.map(nest) };
    return {
      select: {
        ...(names.has('totalCount') && { _count: { select: { [relation]: { where: nest(where) } } } }),
        ...([...names].some((name) => name !== 'totalCount' && name !== '__typename') && {
          [relation]: through ? { ...page, select: { [through]: hasKeys(rows) ? rows : true } } : { ...page, ...rows },
        }),
      },
    };
  };

  return (t as { field: (options: object) => AnyField }).field({
    type: list.connection,
    description,
    complexity,
    args: list.args(),
    extensions: { pothosPrismaSelect: select, parleyList: rule, parleyRelation: relation, parleyThrough: through },
    resolve(parent: Row, args: ListArguments, context: Context): ConnectionShape {
      const found = (parent[relation] ?? []) as Row[];
      const rows = through ? found.map((row) => row[through] as Row) : found;
      const count = (parent._count as Record<string, number> | undefined)?.[relation] ?? 0;
      return Object.assign(planPage(rule, args, context.viewer).connection(rows), { totalCount: count });
    },
  });
}

/** When no field of a row is asked for, only its place, Pothos selects nothing, which Prisma refuses. */
const whole = ({ select, ...others }: { select?: object; include?: object }) =>
  select && hasKeys(select) ? { select, ...others } : others;

const hasKeys = (value: object) => Object.keys(value).length > 0;

/** One row by its id, as a field of Query: 404 `not_found` when the viewer's workspace has none. */
export function rootRow(t: unknown, list: List, description: string): AnyField {
  const { rule } = list;
  const where = ({ id }: { id: string }, viewer: Viewer) => ({ AND: [rule.rows(viewer), { id }] });
  return (t as { field: (options: object) => AnyField }).field({
    type: list.ref,
    nullable: true,
    description,
    args: builder.args((a) => ({ id: a.id({ required: true, description: `The id of the ${list.name}.` }) })),
    extensions: { parleyRow: { permission: rule.permission, where } },
    async resolve(_root: unknown, args: { id: string }, context: Context, info: GraphQLResolveInfo) {
      permit(context, rule.permission);
      const selection = queryFromInfo({ context, info });
      const row = await delegate(context, rule).findFirst({ ...selection, where: where(args, context.viewer) });
      if (!row) throw notFound(list.name);
      return row;
    },
  });
}

type Delegate = {
  findMany(query: object): Promise<Row[]>;
  findFirst(query: object): Promise<Row | null>;
  count(query: object): Promise<number>;
};

function delegate(context: Context, rule: ListRule): Delegate {
  const name = rule.model[0]?.toLowerCase() + rule.model.slice(1);
  return (context.database as unknown as Record<string, Delegate>)[name] as Delegate;
}
