import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import type { Context } from '../../context.ts';
import { rowsPerPoint } from '../../core/limits.ts';
import { maxRowsSortedByKey } from '../../lists/key-order.ts';
import { argumentsOfField } from '../documents/field-arguments.ts';
import { filledIn } from './buckets.ts';
import { describedBy, describedPerPoint, leadsToAll } from './introspection.ts';
import { type Lists, listsOf, type RowsOf } from './lists.ts';
import { extensionsOf, modelOf } from './marks.ts';
import type { PartRecorder } from './parts.ts';
import type { Price, Read } from './reads.ts';

type Source = {
  schema: GraphQLSchema;
  fragments: Record<string, FragmentDefinitionNode>;
  variables: VariableValues;
  context: Context;
  rowsOf: RowsOf;
  /** Records the price of each field, if that is wanted. */
  recorder?: PartRecorder | undefined;
};
type Arguments = Record<string, unknown> & {
  filter?: Record<string, unknown>;
  orderBy?: { key?: string | null; field?: unknown; ratio?: unknown } | null;
  having?: unknown;
  first?: number | null;
  offset?: number | null;
};

/** Objects whose fields are selected: their maximum number, and which rows they are. */
type Objects = {
  type: GraphQLNamedType;
  count: number;
  path: string;
  model: string | null;
  areDistinct: boolean;
  /** Set for connections of these lists, and for edges and groups within one. */
  lists?: Lists;
  /** Of `by`: about how many keys are selected. */
  keys?: number;
  is?: 'lists' | 'edges' | 'grouped lists' | 'groups' | 'edges of groups' | 'by' | 'all described';
};

/** The maximum cost of a count or an offset, which is never refused by itself. */
const expensiveCount = 5_000;
/** Shorter offsets cost nothing, so that the first pages need no row counts. */
const longOffset = 10_000;

/**
 * Prices a selection: each field times its objects, by actual row counts where known and otherwise by page sizes;
 * groups and counts also by the rows that their statements may read.
 */
export function priceOf(source: Source, selection: SelectionSetNode, type: GraphQLNamedType): Price {
  const walk = new Walk(source);
  walk.all(selection, { type, count: 1, path: '', model: null, areDistinct: true });
  return { cost: Math.ceil(walk.cost), reads: walk.reads, described: Math.ceil(walk.described) };
}

class Walk {
  cost = 0;
  /** How many fields of the introspection are asked for, in all objects; an item of a list of values is one too. */
  described = 0;
  readonly reads: Read[] = [];
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  all({ selections }: SelectionSetNode, objects: Objects): void {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const { recorder } = this.#source;
        recorder?.begin(node.alias?.value ?? node.name.value, this.cost);
        this.#field(node, objects);
        recorder?.end(this.cost);
        continue;
      }
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.#source.fragments[node.name.value] : node;
      const named = fragment?.typeCondition && this.#source.schema.getType(fragment.typeCondition.name.value);
      if (fragment) this.all(fragment.selectionSet, named ? { ...objects, type: named } : objects);
    }
  }

  #field(node: FieldNode, objects: Objects): void {
    const { type, count } = objects;
    const name = node.name.value;
    const field = isObjectType(type) || isInterfaceType(type) ? this.#source.schema.getField(type, name) : undefined;
    if (isIntrospectionType(type)) this.#describe(node, field, objects);
    if (!field) {
      this.cost += count;
      return;
    }
    const args = this.#argumentsOf(field, node);
    if (!args) {
      this.cost += count;
      return;
    }
    const { own, times } = priceOfField(field, args);
    this.cost += this.#own(name, own, args, objects);
    if (!node.selectionSet) return;
    const path = objects.is && shown.has(name) ? objects.path : `${objects.path}${objects.path && '.'}${name}`;
    const below = { type: getNamedType(field.type), path };
    this.all(node.selectionSet, {
      ...below,
      ...this.#below({ field, args, times, path, keys: keysIn(node.selectionSet) }, objects),
    });
  }

  #describe({ selectionSet }: FieldNode, field: GraphQLField<unknown, unknown> | undefined, objects: Objects): void {
    const { type, count, is } = objects;
    const items = field && !selectionSet ? describedBy(this.#source.schema, type, field, is === 'all described') : 1;
    this.described += count * describedPerPoint * items;
  }

  /** Null if the arguments are not valid: the field will say so, and nothing below it is executed. */
  #argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Arguments | null {
    try {
      return argumentsOfField<Arguments>(this.#source, field, node);
    } catch {
      return null;
    }
  }

  /** The cost of a field itself, for all of its objects. */
  #own(name: string, own: number, args: Arguments, { count, lists, is, path, keys = 1 }: Objects): number {
    const usual = own * count;
    if (!lists) return usual;
    if (is === 'lists' && name === 'totalCount') return usual + this.#read(lists, `${path}.totalCount`, 'count');
    if (is === 'lists' && name === 'countUpTo' && lists.rows !== null) {
      return Math.min(usual, count + lists.rows / rowsPerPoint);
    }
    // Each row is tested by the conditions of the measures, once for all groups.
    const testing = (conditions: number) => ((lists.rows ?? 0) * conditions) / conditionsPerRow / rowsPerPoint;
    if (is === 'lists' && name === 'groups')
      return (
        usual + testing(ratioConditions(args) + runningTotals(args)) + this.#read(lists, `${path}.groups`, 'group')
      );
    if (is === 'groups' && (name === 'previous' || name === 'rows')) return usual + this.#read(lists, path, 'group');
    // All groups are sorted for it, not only those of the page.
    if (is === 'groups' && name === 'cumulative') return usual + testing(1);
    if (is === 'groups') return usual + testing(measureConditions(args));
    const dimension = is === 'by' ? lists.rule.groups?.by[name] : undefined;
    // A row of another table for each of its own.
    if (dimension && 'via' in dimension) return usual + this.#read(lists, path, 'group');
    if (is === 'by' && args.fill === true)
      return usual + (lists.count * filledIn(lists, args, keys > 1)) / rowsPerPoint;
    return usual;
  }

  #read({ rule, ranges, rows, count }: Lists, path: string, by: Read['by']): number {
    const most = maxRowsRead(by, count);
    const cost = Math.min((rows ?? 0) / rowsPerPoint, most);
    const read = { rule, ranges, rows, path, cost, by };
    this.reads.push(read);
    this.#source.recorder?.read(read);
    return cost;
  }

  /** The objects that a field returns. */
  #below({ field, args, times, path, keys }: Below, objects: Objects): Omit<Objects, 'type' | 'path'> {
    const { lists, is, count, model, areDistinct } = objects;
    const { parleyList, parleyRelation, parleyThrough } = extensionsOf(field);
    const { schema } = this.#source;
    if (isIntrospectionType(objects.type)) {
      const ofAll = leadsToAll(field.name, is === 'all described');
      const described = count * describedBy(schema, objects.type, field, is === 'all described' || ofAll);
      return { model: null, areDistinct: false, count: described, ...(ofAll && { is: 'all described' }) };
    }
    if (isIntrospectionType(getNamedType(field.type)))
      return { model: null, areDistinct: false, count: count / describedPerPoint };
    const rows = { model, areDistinct };
    if (parleyList) {
      const relation = parleyRelation ? { isJoined: parleyThrough !== undefined } : null;
      const parents = { count, areDistinct, model };
      const given = {
        rule: parleyList,
        path,
        filter: args.filter,
        size: times,
        parents,
        relation,
        context: this.#source.context,
      };
      const found = listsOf(given, this.#source.rowsOf);
      this.#source.recorder?.list(found, args.first === 0 ? 0 : times);
      if (args.orderBy?.key != null) this.cost += this.#read(found, path, 'sort');
      const offset = args.offset ?? 0;
      if (offset >= longOffset) this.cost += this.#read(found, path, { offset });
      return { ...rows, count, lists: found, is: 'lists' };
    }
    const { name } = field;
    if (lists && is === 'lists' && (name === 'nodes' || name === 'edges')) {
      const of = { count: lists.onPages, model: lists.rule.model, areDistinct: lists.areDistinct };
      return name === 'edges' ? { ...of, is: 'edges' } : of;
    }
    if (is === 'edges' && name === 'node') return { ...rows, count };
    if (lists && is === 'lists' && name === 'groups') {
      // No group is empty, except filled spans, which the price of `fill` covers.
      return {
        ...rows,
        count,
        lists: { ...lists, onPages: Math.min(count * times, lists.rows ?? count * times) },
        is: 'grouped lists',
      };
    }
    const isMeasured = is === 'groups' && (name === 'previous' || name === 'cumulative');
    if (lists && (isMeasured || (is === 'grouped lists' && name === 'other')))
      return { ...rows, count, lists, is: 'groups' };
    if (lists && is === 'grouped lists' && (name === 'nodes' || name === 'edges')) {
      return { ...rows, count: lists.onPages, lists, is: name === 'nodes' ? 'groups' : 'edges of groups' };
    }
    if (lists && is === 'edges of groups' && name === 'node') return { ...rows, count, lists, is: 'groups' };
    if (lists && is === 'groups' && name === 'by') return { ...rows, count, lists, keys, is: 'by' };
    if (lists && is === 'groups' && name === 'rows') {
      const onPages = Math.min(count * times, lists.rows ?? count * times);
      return { ...rows, count, lists: { ...lists, count, onPages }, is: 'lists' };
    }
    return { count: count * times, model: modelOf(getNamedType(field.type)), areDistinct: count * times <= 1 };
  }
}

/** How many conditions on a row take about as long as reading it. */
const conditionsPerRow = 10;

/** The number of conditions of the ratios by which groups are filtered and ordered, which each row is tested by. */
const ratioConditions = ({ having, orderBy }: Arguments): number =>
  conditionsIn(having, false) + conditionsIn(orderBy?.ratio, false);

/** How many running totals groups are filtered and ordered by. */
const runningTotals = ({ having, orderBy }: Arguments): number =>
  totalsIn(having) + (isRunningTotal(orderBy?.field) ? 1 : 0);

const totalsIn = (value: unknown): number =>
  isNested(value)
    ? Object.entries(value).reduce((sum, [name, part]) => sum + (isRunningTotal(name) ? 1 : totalsIn(part)), 0)
    : 0;

const isRunningTotal = (field: unknown): boolean => typeof field === 'string' && field.startsWith('cumulative');

/** The same of a selected measure: a ratio, or a count of the rows that match a filter. */
const measureConditions = ({ filter, ofFilter, toFilter }: Arguments): number =>
  [filter, ofFilter, toFilter].reduce((sum: number, one) => sum + (one == null ? 0 : conditionsIn(one, true)), 0);

/**
 * `areConditions`: whether all values within test rows, and not only those of the filters of ratios. A list of values
 * is one condition.
 */
function conditionsIn(value: unknown, areConditions: boolean): number {
  if (!isNested(value) || (Array.isArray(value) && !value.some(isNested))) return areConditions ? 1 : 0;
  return Object.entries(value).reduce(
    (sum, [name, part]) => sum + conditionsIn(part, areConditions || name === 'ofFilter' || name === 'toFilter'),
    0,
  );
}

const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Date);

/** The maximum cost of a read, for this number of lists. */
function maxRowsRead(by: Read['by'], lists: number): number {
  if (by === 'group') return Number.POSITIVE_INFINITY;
  if (by === 'count') return expensiveCount;
  if (by === 'sort') return (lists * maxRowsSortedByKey) / rowsPerPoint;
  return Math.min((lists * by.offset) / rowsPerPoint, expensiveCount);
}

type Below = { field: GraphQLField<unknown, unknown>; args: Arguments; times: number; path: string; keys: number };

/** The number of fields selected; a fragment may have several. */
const keysIn = ({ selections }: SelectionSetNode): number =>
  selections.reduce((sum, { kind }) => sum + (kind === Kind.FIELD ? 1 : 2), 0);

/** Fields that are omitted from the path in an error. */
const shown = new Set(['nodes', 'edges', 'node']);

/** The cost of a field for one object, and how many objects it returns. */
function priceOfField(field: GraphQLField<unknown, unknown>, args: object) {
  const { complexity } = extensionsOf(field);
  const { field: own = 1, multiplier: times = 1 } =
    (typeof complexity === 'function' ? complexity(args) : complexity) ?? {};
  return { own, times };
}
