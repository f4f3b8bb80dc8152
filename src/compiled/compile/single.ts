import { type GraphQLField, type GraphQLObjectType, isObjectType } from 'graphql';
import { permit } from '../../core/permissions.ts';
import type { Where } from '../../database/query/delegate.ts';
import { readPermissionOf } from '../../lists/list-access.ts';
import { argumentsOf, type Selected, type Source } from '../../lists/selection.ts';
import type { Binding, SqlPart } from '../../lists/sql/binding.ts';
import { type Column, type Model, type Models, modelOf } from '../../lists/sql/models.ts';
import { allRows, fromWhere, type Row } from '../../lists/sql/rows.ts';
import { concat, join, name, type Pieces, sql, written } from '../../lists/sql/sql.ts';
import { Reference } from '../../lists/sql/where.ts';
import { unsupported } from '../../lists/unsupported.ts';
import type { FieldExtensions } from './extensions.ts';
import { orNull } from './leaf.ts';
import type { PostProcessors } from './post-process.ts';
import { modelOfType, objectType } from './types.ts';

type Options = {
  source: Source;
  models: Models;
  postProcessors: PostProcessors;
  /** Returns a row of a model, under a new alias. */
  table: (model: Model) => Row;
  /** Writes the fields selected of a row that other rows may share. */
  object: (type: GraphQLObjectType, selected: Selected, row: Row) => Pieces;
};
type Mark<Key extends keyof FieldExtensions> = NonNullable<FieldExtensions[Key]>;

/** Writes what is read of one row: a table's, found by a condition, a query's, or the viewer. */
export class SingleRows {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Writes the row that matches a condition; null if there is none. */
  row(selected: Selected, type: GraphQLObjectType, where: (binding: Binding) => Where, modelName?: string): Pieces {
    const { models, table, object } = this.#options;
    const row = table(modelName ? modelOf(models, modelName) : modelOfType(models, type));
    const found: SqlPart = (binding) => fromWhere(models, binding, allRows(row.model), row.alias, where(binding));
    return written(sql`(SELECT ${concat(object(type, selected, row))} ${found})`);
  }

  /** Writes the row of a field that says how it is found. */
  marked(selected: Selected, { permission, model, where, optional }: Mark<'parleyRow'>): Pieces {
    const field = selected.field as GraphQLField<unknown, unknown>;
    const args = argumentsOf<never>(selected);
    const type = objectType(field);
    const readPermission = readPermissionOf(type);
    const found = (binding: Binding) => {
      const { context } = binding;
      for (const needed of [permission, readPermission]) if (needed) permit(context, needed);
      return where(args(binding), context.viewer, context);
    };
    return orNull(this.row(selected, type, found, model), optional === true);
  }

  /** Writes the row that a column refers to, of one of several types, or null. */
  oneOf(selected: Selected, { column, candidates }: Mark<'parleyOneOf'>, parent: Row): Pieces {
    const id = new Reference(`${parent.alias}.${name(column)}`);
    const rows = candidates.map(({ type, where }) => {
      const found = this.#options.source.schema.getType(type);
      if (!isObjectType(found)) return unsupported(`the type ${type}`);
      return concat(this.row(selected, found, ({ context: { viewer } }) => where(id, viewer)));
    });
    return written(sql`coalesce(${join(rows, ', ')}, 'null')`);
  }

  /** Writes the one row of a query. */
  ofQuery(selected: Selected, { permission, columns, query }: Mark<'parleyQuery'>): Pieces {
    const { table, object } = this.#options;
    const row = table(queried(columns));
    const from: SqlPart = (binding) => {
      permit(binding.context, permission);
      const { strings, values } = query(binding.context);
      const parts = strings.map((text, at) => (at === 0 ? text : `${binding.value(values[at - 1], 'text')}${text}`));
      return `(${parts.join('')})`;
    };
    const type = objectType(selected.field as GraphQLField<unknown, unknown>);
    return written(sql`(SELECT ${concat(object(type, selected, row))} FROM ${from} ${[row.alias]})`);
  }

  /** Writes the viewer, of whom the database has related rows. */
  viewer(selected: Selected): Pieces {
    const type = objectType(selected.field as GraphQLField<unknown, unknown>);
    return this.#options.object(type, selected, { model: queried({}), alias: '', isViewer: true });
  }

  /** Writes a value that is computed from some columns of a row; of none if there is no row. */
  value({ model: modelName, columns, where, value }: Mark<'parleyValue'>): Pieces {
    const { models, postProcessors, table } = this.#options;
    const { model, alias } = table(modelOf(models, modelName));
    const found: SqlPart = (binding) =>
      fromWhere(models, binding, allRows(model), alias, where(binding.context.viewer));
    const fields = columns.map((column) => `'${column}', ${alias}.${name(column)}`).join(', ');
    const read = written(sql`coalesce((SELECT json_build_object(${[fields]})::text ${found}), 'null')`);
    return postProcessors.mark(read, value);
  }
}

/** The columns of a query as those of a table. */
const queried = (columns: Record<string, string>): Model => ({
  name: 'a query',
  columns: new Map(Object.entries(columns).map(([key, type]) => [key, columnOf(key, type)])),
  relations: new Map(),
  keys: new Set(),
});

const columnOf = (key: string, type: string): Column => ({
  name: key,
  type,
  isEnum: false,
  isList: false,
  nullable: false,
  isName: false,
  hasDefault: false,
  isTouched: false,
});
