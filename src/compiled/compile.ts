import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { permit } from '../core/permissions.ts';
import type { Where } from '../database/query/list.ts';
import { argumentsOf } from './arguments.ts';
import type { Binding, Slot, Sql } from './binding.ts';
import { computed } from './computed.ts';
import { ConnectionWriter, object } from './connection.ts';
import { type FieldMarks, marksOf, marksOfType } from './extensions.ts';
import { leaf, list, orNull } from './leaf.ts';
import { type Model, type Models, modelOf, relationIn } from './models.ts';
import type { Mutation } from './mutation.ts';
import { inAround } from './pick.ts';
import { PostProcessors, unwritten } from './post-process.ts';
import { allRows, fromWhere, orderBy, type Row, type Rows, relatedRows } from './rows.ts';
import { fieldsOf, type Selected, type Source, setsOf } from './selection.ts';
import { concat, join, name, type Pieces, quote, sql, text, written } from './sql.ts';
import { unsupported } from './unsupported.ts';
import { Reference } from './where.ts';
import { writeSql } from './write.ts';

type Field = GraphQLField<unknown, unknown>;

/** Compiles what a document asks into one statement, whose one text is the response. Throws `UnsupportedQuery`. */
export class Compiler {
  readonly #source: Source;
  readonly #models: Models;
  readonly finishers = new PostProcessors();
  #tables = 0;
  #mutation: Mutation | null = null;

  constructor(source: Source, models: Models) {
    this.#source = source;
    this.#models = models;
  }

  /** The statement of the fields of Query. */
  statement(query: GraphQLObjectType, fields: Selected[]): Sql {
    const data = object(fields, (selected) => this.#root(query, selected));
    return sql`SELECT ${concat(text('{"data":'), data, text('}'))} AS "response"`;
  }

  /** The statement of a mutation: what it writes, and the response made of the row as it is then. */
  mutation(mutation: Mutation): Sql {
    const { selected, writing } = mutation;
    const type = objectType(selected.field as Field);
    const row = this.#table(modelOf(this.#models, writing.model));
    this.#mutation = mutation;
    const data = object([selected], () => this.#object(type, selected, row));
    const write: Slot = (binding) => writeSql(this.#models, binding, binding.change ?? unsupported('nothing to write'));
    const response = concat(text('{"data":'), data, text('}'));
    return sql`WITH ${write} SELECT coalesce(${response}, '') AS "response" FROM written ${[row.alias]}`;
  }

  #root(query: GraphQLObjectType, selected: Selected): Pieces {
    const { field, nodes } = selected;
    if (!field) return text(JSON.stringify(query.name));
    const { parleyList, parleyRow } = marksOf(field);
    if (parleyList) return this.#connection(selected, allRows(modelOf(this.#models, parleyList.model)));
    if (parleyRow) {
      const args = argumentsOf<never>(field, nodes[0] as never);
      const row = this.#row(selected, objectType(field), (binding) => {
        if (parleyRow.permission) permit(binding.context, parleyRow.permission);
        return parleyRow.where(args(binding), binding.context.viewer);
      });
      return orNull(row, parleyRow.optional === true);
    }
    if (field.name === 'node' || field.name === 'nodes') return this.#byIds(selected);
    return unsupported(`Query.${field.name}`);
  }

  /** The row that meets a condition. Without one, the whole response is null, and the resolvers say what is missing. */
  #row(selected: Selected, type: GraphQLObjectType, where: (binding: Binding) => Where): Pieces {
    const row = this.#table(modelOfType(this.#models, type));
    const rows = allRows(row.model);
    const found: Slot = (binding) => fromWhere(this.#models, binding, rows, row.alias, where(binding));
    return written(sql`(SELECT ${concat(this.#object(type, selected, row))} ${found})`);
  }

  /** `node` and `nodes`: an id names the type of its row. */
  #byIds(selected: Selected): Pieces {
    const field = selected.field as Field;
    const args = argumentsOf<{ id?: GlobalId; ids?: GlobalId[] }>(field, selected.nodes[0] as never);
    const writers = new Map<string, (id: string) => Sql>();
    const one = (binding: Binding, { typename, id }: GlobalId): string => {
      const write = writers.get(typename) ?? this.#nodeWriter(typename, selected);
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

  #nodeWriter(typename: string, selected: Selected): (id: string) => Sql {
    const type = this.#source.schema.getType(typename);
    if (!isObjectType(type)) return unsupported(`a node of the type ${typename}`);
    const { pothosPrismaLoader } = marksOfType(type);
    if (!pothosPrismaLoader) return unsupported(`a node of the type ${typename}`);
    const row = this.#table(modelOfType(this.#models, type));
    const written = concat(this.#object(type, selected, row));
    return (id) => {
      const found: Slot = (binding) => {
        const where = pothosPrismaLoader(binding.context).findUnique({ id }, binding.context);
        if (where instanceof Promise) return unsupported('a node that is looked up first');
        return fromWhere(this.#models, binding, allRows(row.model), row.alias, where);
      };
      return sql`coalesce((SELECT ${written} ${found}), 'null')`;
    };
  }

  #object(type: GraphQLObjectType, { nodes }: Selected, row: Row): Pieces {
    const fields = fieldsOf(this.#source, type, setsOf(nodes));
    return object(fields, (selected) => this.#field(type, selected, row));
  }

  #field(type: GraphQLObjectType, selected: Selected, row: Row): Pieces {
    const { field } = selected;
    if (!field) return text(JSON.stringify(type.name));
    const marks = marksOf(field);
    if (field.name === 'clientMutationId' && this.#mutation) return this.#mutationId(this.#mutation);
    if (marks.pothosExposedField) return this.#column(field, marks.pothosExposedField, row);
    if (field.name === 'id' && type.getInterfaces().some((face) => face.name === 'Node')) {
      return this.#column(field, 'id', row);
    }
    if (marks.parleySameRow) return this.#object(objectType(field), selected, row);
    if (marks.parleyColumns) return computed(field, marks, row, this.finishers);
    if (marks.parleyPlaces) return this.#oneOf(selected, marks.parleyPlaces, row);
    if (marks.parleyList) {
      const { parleyRelation = '', parleyThrough } = marks;
      return this.#connection(selected, this.#relatedRows(row, parleyRelation, parleyThrough));
    }
    if (marks.pothosPrismaRelationField) return this.#related(selected, marks.pothosPrismaRelationField.name, row);
    return unsupported(`${type.name}.${field.name}`);
  }

  #mutationId({ input }: Mutation): Pieces {
    return written([(binding) => binding.own(JSON.stringify(input(binding).clientMutationId ?? null), 'text')]);
  }

  #column(field: Field, columnName: string, { model, alias }: Row): Pieces {
    const column = model.columns.get(columnName) ?? unsupported(`${model.name}.${columnName}`);
    if (column.nullable && isNonNullType(field.type)) unsupported(`${model.name}.${columnName} may be null`);
    const type = getNullableType(field.type);
    const named = getNamedType(field.type);
    if (!isLeafType(named) || isListType(type) !== column.isList) return unsupported(`${model.name}.${columnName}`);
    const subject = [`${alias}.${name(columnName)}`];
    return column.isList ? list(named, column, subject) : leaf(named, column, subject, this.finishers);
  }

  #connection(selected: Selected, rows: Rows): Pieces {
    const field = selected.field as Field;
    const writer = new ConnectionWriter({
      source: this.#source,
      models: this.#models,
      rule: marksOf(field).parleyList ?? unsupported(field.name),
      rows,
      args: argumentsOf(field, selected.nodes[0] as never),
      alias: this.#table(rows.model).alias,
      write: (item, row) => inAround(item.nodes[0], this.#object(objectType(item.field as Field), item, row)),
      fieldsOfType: (item) => {
        const type = objectType(item.field as Field);
        return { type, fields: fieldsOf(this.#source, type, setsOf(item.nodes)) };
      },
    });
    return writer.write(objectType(field), selected.nodes);
  }

  /** The row, or all the rows, of a relation. */
  #related(selected: Selected, relationName: string, parent: Row): Pieces {
    const field = selected.field as Field;
    const relation = relationIn(parent.model, relationName);
    const rows = this.#relatedRows(parent, relationName);
    const { alias } = this.#table(rows.model);
    const item = concat(this.#object(objectType(field), selected, { model: rows.model, alias }));
    const query = queryOf(field, relationName);
    if (relation.isList) return this.#all(rows, alias, item, query);
    const nullable = !isNonNullType(field.type);
    if (Object.keys(query).length > 0 || (relation.nullable && !nullable)) unsupported(`the relation ${relationName}`);
    const found: Slot = (binding) => fromWhere(this.#models, binding, rows, alias, {});
    return orNull(written(sql`(SELECT ${item} ${found})`), nullable);
  }

  #all(rows: Rows, alias: string, item: Sql, query: RelationQuery): Pieces {
    const { orderBy: orders, where = {}, ...others } = query;
    if (Object.keys(others).length > 0) unsupported('a relation with a limit');
    const order = orders ? orderBy(rows.model, alias, [orders].flat()) : '';
    const found: Slot = (binding) => fromWhere(this.#models, binding, rows, alias, where);
    const items = sql`coalesce((SELECT string_agg(coalesce(${item}, ${[quote(unwritten)]}), ',' ${[order]}) ${found}), '')`;
    return [...text('['), ...written(items), ...text(']')];
  }

  /** The row that a column names, of whichever type it is, or null. */
  #oneOf(selected: Selected, { column, places }: NonNullable<FieldMarks['parleyPlaces']>, parent: Row): Pieces {
    const id = new Reference(`${parent.alias}.${name(column)}`);
    const rows = places.map(({ type, where }) => {
      const found = this.#source.schema.getType(type);
      if (!isObjectType(found)) return unsupported(`the type ${type}`);
      return concat(this.#row(selected, found, ({ context: { viewer } }) => where(id, viewer)));
    });
    return written(sql`coalesce(${join(rows, ', ')}, 'null')`);
  }

  #relatedRows(row: Row, relationName: string, through?: string): Rows {
    this.#mayRead(relationIn(row.model, relationName).model);
    return relatedRows(this.#models, row, relationName, through);
  }

  /** A statement sees what it writes as it was before, but for the row that the write itself answers. */
  #mayRead(model: string): void {
    if (model === this.#mutation?.writing.model) unsupported(`${model} while it is written`);
  }

  #table(model: Model): Row {
    this.#mayRead(model.name);
    this.#tables += 1;
    return { model, alias: `t${this.#tables}` };
  }
}

/** Each id of `nodes` is a part of the statement. */
const maxIds = 20;

type GlobalId = { typename: string; id: string };
type RelationQuery = { where?: Where; orderBy?: Where | Where[]; [other: string]: unknown };

/** What `t.relation(…, {query})` says, which Pothos keeps inside of its own selection. */
function queryOf(field: Field, relation: string): RelationQuery {
  const select = marksOf(field).pothosPrismaSelect;
  if (typeof select !== 'function') return unsupported(`the relation ${relation}`);
  const { select: selected } = select({}, {}, (query: unknown) => query) as { select: Record<string, RelationQuery> };
  const query = selected[relation];
  return typeof query === 'object' ? query : unsupported(`the relation ${relation}`);
}

const modelOfType = (models: Models, type: GraphQLObjectType): Model =>
  modelOf(models, marksOfType(type).pothosPrismaModel ?? unsupported(`${type.name} is no table`));

function objectType({ type }: { type: GraphQLOutputType }): GraphQLObjectType {
  const named = getNamedType(type);
  return isObjectType(named) && !isInterfaceType(named) ? named : unsupported(`the type ${named.name}`);
}
