import { queryFromInfo } from '@pothos/plugin-prisma';
import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../src/context.ts';
import { memoize } from '../../src/core/lazy.ts';
import { delegateOf } from '../../src/database/query/delegate.ts';
import { tooManyToSort } from '../../src/lists/key-order.ts';
import type { ListRule } from '../../src/lists/list.ts';
import { permitRows } from '../../src/lists/list-access.ts';
import type { Page, PageOfRows } from '../../src/lists/pagination.ts';
import { countRows, type Listed, type PageKey, readKeys } from '../../src/lists/sql/pages.ts';
import type { Counts } from './counts.ts';
import { datamodel } from './datamodel.ts';

type Row = Record<string, unknown>;
type SqlPageRequest = {
  rule: ListRule;
  page: Page;
  parent: (NonNullable<Listed['parent']> & { id: string }) | null;
  /** The type of the rows, and their paths in the selection. */
  typeName: string;
  paths: { name: string }[][];
  context: Context;
  info: GraphQLResolveInfo;
};

/**
 * A page that Prisma cannot query: one statement reads the keys of its rows and another the selected columns, batched
 * over all parents of the field.
 */
export function sqlPage(request: SqlPageRequest): { read: () => Promise<PageOfRows>; counts: Counts } {
  const { rule, page, context, info } = request;
  const parent = request.parent?.id ?? '';
  const listed: Listed = {
    context,
    schema: info.schema,
    datamodel,
    rule,
    parent: request.parent,
  };
  const count = (max: number | null) => {
    const load = (parents: readonly string[]) => countRows(listed, page.where, { parents, max });
    return loaderOf<number>(request, `count ${max}`, load).load(parent);
  };
  return {
    read: async () => {
      permitRows(context, rule);
      const load = (parents: readonly string[]) => readRows(request, listed, parents);
      const { keys, nodeOf } = await loaderOf<KeyedRows>(request, 'rows', load).load(parent);
      return page.connection(keys, nodeOf);
    },
    counts: { all: () => count(null), atMost: (rows) => count(rows), about: async () => null },
  };
}

/** The keys of a page, and the rows that they found. */
type KeyedRows = { keys: PageKey[]; nodeOf: (key: PageKey) => Row | undefined };

async function readRows(
  { rule, page, typeName, paths, context, info }: SqlPageRequest,
  listed: Listed,
  parents: readonly string[],
): Promise<(KeyedRows | Error)[]> {
  const keys = await readKeys(listed, page, parents);
  const { select, ...selected } = queryFromInfo({ context, info, typeName, paths }) as { select?: object };
  const key = rule.key ?? 'id';
  const rows = await delegateOf(context.database, rule.model).findMany({
    ...selected,
    ...(select && Object.keys(select).length > 0 && { select: { ...select, [key]: true } }),
    where: {
      AND: [
        rule.rows(context.viewer),
        { [key]: { in: keys.flatMap((of) => (of ?? []).slice(0, page.shape.size).map((one) => one[key])) } },
      ],
    },
  });
  const found = new Map(rows.map((row) => [row[key], row]));
  const nodeOf = (one: PageKey) => found.get(one[key]);
  return keys.map((of) => (of ? { keys: of, nodeOf } : tooManyToSort(rule)));
}

type Loader = DataLoader<string, unknown>;
const loadersOf = memoize((_: Context) => new Map<string, Loader>());

function loaderOf<Value>(
  { parent, page, context, info }: SqlPageRequest,
  what: string,
  load: (parents: readonly string[]) => Promise<(Value | Error)[]>,
): DataLoader<string, Value> {
  const loaders = loadersOf(context);
  const positions = info.fieldNodes.map(({ loc }) => loc?.start);
  const key = JSON.stringify([what, positions, parent && { ...parent, id: '' }, page.shape, page.query]);
  // Not cached: later fields must see what an operation writes in between.
  const loader = loaders.get(key) ?? new DataLoader<string, Value>(load, { cache: false });
  loaders.set(key, loader as Loader);
  return loader as DataLoader<string, Value>;
}
