import {
  type DocumentNode,
  executeRootSelectionSet,
  type FieldNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  OperationTypeNode,
  type ValidatedExecutionArgs,
  validateExecutionArgs,
} from 'graphql';
import { ParleyError } from '../../core/errors.ts';
import { memoize } from '../../core/lazy.ts';
import { allowStale } from '../../database/deadline.ts';
import { formatError } from '../../graphql/format-error.ts';
import { argumentsOf, type Selected, type Source } from '../../lists/selection.ts';
import type { SqlPart } from '../../lists/sql/binding.ts';
import type { Column, Model } from '../../lists/sql/models.ts';
import type { Row } from '../../lists/sql/rows.ts';
import { concat, name, type Pieces, sql, text, written } from '../../lists/sql/sql.ts';
import { orUnsupported, UnsupportedQuery, unsupported } from '../../lists/unsupported.ts';
import { containsPicked } from '../sql/pick.ts';
import { extensionsOf } from './extensions.ts';
import type { PostProcessors, Run } from './post-process.ts';

/** A field that this run's arguments keep from being compiled: the operation is compiled again without it. */
export class DeferredField extends UnsupportedQuery {
  readonly nodes: readonly FieldNode[];

  constructor(nodes: readonly FieldNode[], cause: Error) {
    super(cause.message, { cause });
    this.nodes = nodes;
  }

  /** Whether it fails by its own rules, as it does in its resolver. */
  get isRefused(): boolean {
    return this.cause instanceof ParleyError;
  }
}

/** The fields that a run's arguments keep from being compiled. */
export type Deferred = ReadonlyMap<FieldNode, DeferredField>;

/** Leaves a field to its resolver. */
export function deferField(nodes: readonly FieldNode[], reason: string): never {
  throw new DeferredField(nodes, new UnsupportedQuery(reason));
}

/** Leaves a field to its resolver wherever a part of the statement that belongs to it cannot be written. */
const deferring = (pieces: Pieces, nodes: readonly FieldNode[]): Pieces =>
  pieces.map((piece) =>
    'text' in piece
      ? piece
      : { sql: piece.sql.map((part) => (typeof part === 'string' ? part : guarded(part, nodes))) },
  );

const guarded =
  (slot: SqlPart, nodes: readonly FieldNode[]): SqlPart =>
  (binding) => {
    try {
      return slot(binding);
    } catch (error) {
      throw error instanceof DeferredField ? error : new DeferredField(nodes, error as Error);
    }
  };

/**
 * Writes fields that are left to their resolvers: the statement returns the row, which becomes the resolver's parent.
 * What a root field fails with is part of the response; any other failure leaves the operation to the resolvers.
 */
export class DeferredFields {
  readonly #source: Source;
  readonly #postProcessors: PostProcessors;
  readonly #deferred: Deferred;
  /** The fields and why, such as `Conversation.export`. */
  readonly #names = new Map<string, string>();
  /** Not in a mutation: nothing may fail once it has written. */
  mayDefer = true;
  /** Whether all root fields are left, none of which fails by its own rules: there is nothing to compile. */
  isAll = true;
  /** Whether the price of the operation is selected. */
  selectsPrice = false;
  #count = 0;
  /** The root field that is being written. */
  #root: readonly FieldNode[] = [];

  constructor(source: Source, postProcessors: PostProcessors, deferred: Deferred) {
    this.#source = source;
    this.#postProcessors = postProcessors;
    this.#deferred = deferred;
  }

  /**
   * Writes a field of a row, or of Query, which has none, by `write`; leaves it to its resolver if that is unsupported.
   */
  orDefer(type: GraphQLObjectType, selected: Selected, row: Row | null, write: () => Pieces): Pieces {
    const pieces = this.#refusal(selected) ?? orUnsupported(write);
    if (!(pieces instanceof UnsupportedQuery)) return pieces;
    if (!this.mayDefer || !selected.field || selected.nodes.some(containsPicked)) throw pieces;
    this.#names.set(`${type.name}.${selected.field.name}`, pieces.message);
    return this.#write(type, selected, row);
  }

  /** Like `orDefer`, for a field of Query. */
  rootOrDefer(query: GraphQLObjectType, selected: Selected, write: () => Pieces): Pieces {
    if (selected.field?.name === 'rateLimit') return this.#price(query, selected);
    if (this.#refusal(selected)?.isRefused) this.isAll = false;
    this.#root = selected.nodes;
    return this.orDefer(query, selected, null, () => {
      const pieces = deferring(write(), selected.nodes);
      this.isAll = false;
      return pieces;
    });
  }

  /** Leaves the price of the operation to its resolver. A dry run executes nothing else. */
  #price(query: GraphQLObjectType, selected: Selected): Pieces {
    this.selectsPrice = true;
    const args = argumentsOf<{ dryRun?: boolean }>(selected);
    const refuseDryRun: SqlPart = (binding) => (args(binding).dryRun ? unsupported('a dry run') : '');
    const price = this.orDefer(query, selected, null, () => unsupported('the price of the operation'));
    return written([refuseDryRun, ...concat(price)]);
  }

  /** The fields that their resolvers answer, with the reason unless it is the field itself. */
  get descriptions(): string[] {
    return [...this.#names].map(([field, reason]) => (field === reason ? field : `${field} (${reason})`));
  }

  /** Why a run's arguments keep a field from being compiled, if they do. */
  #refusal({ nodes }: Selected): DeferredField | undefined {
    return nodes.map((node) => this.#deferred.get(node)).find(Boolean);
  }

  /** Writes a root field's row; a missing one is left to the resolver, which says what is missing. */
  rowOrDefer(row: Pieces, type: GraphQLObjectType, selected: Selected): Pieces {
    if (selected.nodes.some(containsPicked)) return row;
    return written(sql`coalesce(${concat(row)}, ${concat(this.#write(type, selected, null))})`);
  }

  #write(type: GraphQLObjectType, selected: Selected, row: Row | null): Pieces {
    const field = selected.field as NonNullable<Selected['field']>;
    this.#count += 1;
    // Pothos plans a field once for each path of an operation.
    const key = row ? `${selected.key}_${this.#count}` : selected.key;
    const columns = row ? columnsOf(row.model, extensionsOf(field).parleyColumns) : [];
    const resolve = resolver(this.#source, type, { ...selected, key }, row ? this.#root : !isNonNullType(field.type));
    const parent = columns.flatMap(({ name: column }, index) => [
      ...text(`${index > 0 ? ',' : ''}${JSON.stringify(column)}:`),
      ...written([`coalesce(to_json(${row?.alias}.${name(column)})::text, 'null')`]),
    ]);
    return this.#postProcessors.mark([...text('{'), ...parent, ...text('}')], (value, run) =>
      resolve(row?.isViewer ? run.context.viewer : revived(value as Record<string, unknown>, columns), run),
    );
  }
}

/** Types that JSON carries. The others are internal to the search, and no field reads them. */
const carried = new Set(['String', 'Int', 'Float', 'Boolean', 'DateTime', 'Json']);

const columnsOf = ({ columns }: Model, names: readonly string[] | undefined): Column[] =>
  [...columns.values()].filter(
    ({ name, type, isEnum, isList }) =>
      (isEnum || (carried.has(type) && !(isList && type === 'Float'))) && (names?.includes(name) ?? true),
  );

/** The row as Prisma reads it. */
function revived(row: Record<string, unknown>, columns: readonly Column[]): Record<string, unknown> {
  for (const { name, type, isList } of columns) {
    if (type === 'DateTime' && row[name] !== null) row[name] = new Date(row[name] as string);
    if (isList) row[name] ??= [];
  }
  return row;
}

type Resolve = (parent: object, run: Run) => Promise<string>;

/**
 * Returns a function that resolves a field as a single operation. `shows`: whether its errors may be shown; for a field
 * of a row, the root field that is left to its resolver instead, which knows their path.
 */
function resolver(
  source: Source,
  type: GraphQLObjectType,
  { key, nodes }: Selected,
  shows: boolean | readonly FieldNode[],
): Resolve {
  const isRoot = type === source.schema.getQueryType();
  const schema = isRoot ? source.schema : rootedIn(source.schema, type);
  const selections = nodes.map((node) => ({ ...node, alias: { kind: Kind.NAME, value: key } as const }));
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      {
        kind: Kind.OPERATION_DEFINITION,
        operation: isRoot ? OperationTypeNode.QUERY : ofRow,
        ...(source.operationName && { name: { kind: Kind.NAME, value: source.operationName } }),
        selectionSet: { kind: Kind.SELECTION_SET, selections },
      },
      ...source.fragments.values(),
    ],
  };
  const prepare = memoize((run: Run): ValidatedExecutionArgs => {
    const contextValue = run.resolving();
    const args = validateExecutionArgs({ schema, document, contextValue });
    if (!('schema' in args)) return unsupported(`the type ${type.name}`);
    return { ...args, variableValues: run.variables };
  });
  return async (rootValue, run) => {
    const { data, errors } = await allowStale(() => executeRootSelectionSet({ ...prepare(run), rootValue }));
    if (errors && shows !== true) {
      const reason = `${type.name}.${nodes[0]?.name.value} fails`;
      if (shows) deferField(shows, reason);
      unsupported(reason);
    }
    const shown = (errors ?? []).map((error) => formatError(error, run.context.log));
    // The resolvers try once more, and know whether anything can be reached.
    if (shown.some(({ extensions }) => extensions.code === 'unavailable')) unsupported(`${key} failed`, 'database');
    run.errors.push(...shown);
    return JSON.stringify((data as Record<string, unknown>)[key]);
  };
}

/** The kind of operation whose root is a row. */
const ofRow = 'row' as OperationTypeNode;

/** The same schema for all that asks it, but with the type as the root of operations on a row. */
const rootedIn = (schema: GraphQLSchema, type: GraphQLObjectType): GraphQLSchema =>
  Object.create(schema, {
    getRootType: { value: (kind: OperationTypeNode) => (kind === ofRow ? type : schema.getRootType(kind)) },
  });

/** The response of an operation some of whose root fields failed. */
export const withErrors = ({ text, errors }: { text: string; errors: readonly GraphQLError[] }): string =>
  errors.length === 0 ? text : `{"errors":${JSON.stringify(errors)},${text.slice(1)}`;
