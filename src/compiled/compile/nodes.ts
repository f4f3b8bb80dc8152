import { type GraphQLField, type GraphQLObjectType, isObjectType } from 'graphql';
import { permit } from '../../core/permissions.ts';
import { readPermissionOf } from '../../lists/list-access.ts';
import { argumentsOf, type Selected, type Source } from '../../lists/selection.ts';
import type { Binding, Sql, SqlPart } from '../../lists/sql/binding.ts';
import type { Model, Models } from '../../lists/sql/models.ts';
import { allRows, fromWhere, type Row } from '../../lists/sql/rows.ts';
import { concat, type Pieces, sql, text, written } from '../../lists/sql/sql.ts';
import { unsupported } from '../../lists/unsupported.ts';
import { typeExtensionsOf } from './extensions.ts';
import { modelOfType } from './types.ts';

type Options = {
  source: Source;
  models: Models;
  /** Returns a row of a model, under a new alias. */
  table: (model: Model) => Row;
  /** Writes the fields selected of a row. */
  object: (type: GraphQLObjectType, selected: Selected, row: Row) => Pieces;
};
type GlobalId = { typename: string; id: string };

/** Each id of `nodes` adds a part to the statement. */
const maxIds = 20;

/** Writes `Query.node` and `Query.nodes`: the id determines the type of the row. */
export class NodesWriter {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  write(selected: Selected): Pieces {
    const field = selected.field as GraphQLField<unknown, unknown>;
    const args = argumentsOf<{ id?: GlobalId; ids?: GlobalId[] }>(selected);
    const writers = new Map<string, (id: string) => Sql>();
    const one = (binding: Binding, { typename, id }: GlobalId): string => {
      const type = this.#options.source.schema.getType(typename);
      const permission = isObjectType(type) && readPermissionOf(type);
      if (permission) permit(binding.context, permission);
      const write = writers.get(typename) ?? this.#writerOf(typename, selected);
      writers.set(typename, write);
      return binding.write(write(id));
    };
    if (field.name === 'node') return written([(binding) => one(binding, args(binding).id as GlobalId)]);
    return written([
      (binding) => {
        const ids = args(binding).ids ?? [];
        if (ids.length > maxIds || ids.some((id) => !id)) unsupported('many ids');
        const rows = ids.flatMap((id, index) => [...text(index > 0 ? ',' : ''), ...written([one(binding, id)])]);
        return binding.write(concat(text('['), rows, text(']')));
      },
    ]);
  }

  #writerOf(typename: string, selected: Selected): (id: string) => Sql {
    const { source, models, table, object } = this.#options;
    const type = source.schema.getType(typename);
    if (!isObjectType(type)) return unsupported(`a node of the type ${typename}`);
    const { pothosPrismaLoader, parleyRemoved } = typeExtensionsOf(type);
    const kept = parleyRemoved ? { [parleyRemoved]: null } : {};
    if (!pothosPrismaLoader) return unsupported(`a node of the type ${typename}`);
    const row = table(modelOfType(models, type));
    const item = concat(object(type, selected, row));
    return (id) => {
      const found: SqlPart = (binding) => {
        const where = pothosPrismaLoader(binding.context).findUnique({ id }, binding.context);
        if (where instanceof Promise) return unsupported('a node that is looked up first');
        return fromWhere(models, binding, allRows(row.model), row.alias, { ...where, ...kept });
      };
      return sql`coalesce((SELECT ${item} ${found}), 'null')`;
    };
  }
}
