import { type FieldNode, type GraphQLField, type GraphQLObjectType, isNonNullType } from 'graphql';
import { permit } from '../core/permissions.ts';
import { maxGroupings } from '../lists/group.ts';
import type { ListRule } from '../lists/list.ts';
import { type ListArguments, maxPageSize } from '../lists/pagination.ts';
import { argumentsOf, fieldsOf, type Selected, type Source, setsOf } from '../lists/selection.ts';
import type { Binding, Sql, SqlPart } from '../lists/sql/binding.ts';
import { type Model, type Models, modelOf, relationIn } from '../lists/sql/models.ts';
import { allRows, fromWhere, orderBy, type Row, type Rows, relatedRows } from '../lists/sql/rows.ts';
import { concat, type Pieces, quote, selectBounded, sql, text, written } from '../lists/sql/sql.ts';
import { Reference } from '../lists/sql/where.ts';
import { unsupported } from '../lists/unsupported.ts';
import { computed } from './compile/computed.ts';
import { ConnectionWriter, writeObject } from './compile/connection.ts';
import { type Deferred, DeferredFields, deferField } from './compile/deferred.ts';
import { extensionsOf } from './compile/extensions.ts';
import { columnLeaf, orNull } from './compile/leaf.ts';
import { type Mutation, tableOfWrite, writesTable } from './compile/mutation.ts';
import { Nesting } from './compile/nesting.ts';
import { NodesWriter } from './compile/nodes.ts';
import { PostProcessors, unwrittenRow } from './compile/post-process.ts';
import { SingleRows } from './compile/single.ts';
import { objectType, queryOf, type RelationQuery } from './compile/types.ts';
import { CompiledGroups, type CompiledList } from './groups/compiled-groups.ts';
import { CompiledRows } from './groups/compiled-rows.ts';
import { GroupsWriter } from './groups/response.ts';
import { wrapItem } from './sql/pick.ts';
import { actorSql, traceSql, writeSql } from './sql/write.ts';

type Field = GraphQLField<unknown, unknown>;

/** Compiles a document's selection to one statement that returns the response as text. Throws `UnsupportedQuery`. */
export class Compiler {
  readonly #source: Source;
  readonly #models: Models;
  readonly postProcessors = new PostProcessors();
  readonly deferred: DeferredFields;
  /** The rules of the lists that are grouped. */
  readonly grouped: ListRule[] = [];
  readonly #nesting = new Nesting();
  readonly #single: SingleRows;
  #tables = 0;
  #mutation: Mutation | null = null;

  constructor(source: Source, models: Models, deferred: Deferred) {
    this.#source = source;
    this.#models = models;
    this.deferred = new DeferredFields(source, this.postProcessors, deferred);
    this.#single = new SingleRows({
      source,
      models,
      postProcessors: this.postProcessors,
      table: (model) => this.#table(model),
      object: (type, selected, row) => this.#nesting.shared(() => this.#object(type, selected, row)),
    });
  }

  /** Returns the statement for fields of Query. */
  statement(query: GraphQLObjectType, fields: Selected[]): Sql {
    const data = writeObject(fields, (selected) => this.#root(query, selected));
    this.#requireFewGroups();
    if (this.deferred.isAll) unsupported(`nothing but ${this.deferred.descriptions.join(', ')}`);
    return selectBounded(concat(text('{"data":'), data, text('}')));
  }

  /** Returns the statement of a mutation: the write, and the response from the row as written. */
  mutation(mutation: Mutation): Sql {
    const { selected, rowWrite: writing } = mutation;
    const type = objectType(selected.field as Field);
    const row = this.#table(modelOf(this.#models, writing.model));
    this.#mutation = mutation;
    this.deferred.mayDefer = false;
    const data = writeObject([selected], () => this.#object(type, selected, row));
    this.#requireFewGroups();
    const write: SqlPart = (binding) =>
      writeSql(this.#models, binding, binding.change ?? unsupported('nothing to write'));
    const response = concat(text('{"data":'), data, text('}'));
    const settings: SqlPart = (binding) => actorSql(binding) + traceSql(binding, tableOfWrite(writing));
    return sql`WITH ${write} SELECT coalesce((${selectBounded(response)}), '') AS "response"${[settings]} FROM written ${[row.alias]}`;
  }

  /** The limit is one of the whole operation, so no field alone is left to its resolver for it. */
  #requireFewGroups(): void {
    if (this.grouped.length > maxGroupings) unsupported('many groups');
  }

  #root(query: GraphQLObjectType, selected: Selected): Pieces {
    return this.deferred.rootOrDefer(query, selected, () => this.#rows(query, selected));
  }

  /** Writes what a field of Query reads. */
  #rows(query: GraphQLObjectType, selected: Selected): Pieces {
    const { field } = selected;
    if (!field) return text(JSON.stringify(query.name));
    const { parleyList, parleyRow } = extensionsOf(field);
    if (parleyList) return this.#connection(selected, allRows(modelOf(this.#models, parleyList.model)));
    if (parleyRow) {
      const row = this.#single.marked(selected, parleyRow);
      // Its resolver says what is missing.
      return parleyRow.optional ? row : this.deferred.rowOrDefer(row, query, selected);
    }
    const single = this.#ofNoParent(selected);
    if (single) return single;
    if (field.name === 'node' || field.name === 'nodes') return this.#nodes().write(selected);
    return unsupported(`Query.${field.name}`);
  }

  #nodes(): NodesWriter {
    return new NodesWriter({
      source: this.#source,
      models: this.#models,
      table: (model) => this.#table(model),
      object: (type, selected, row) => this.#object(type, selected, row),
    });
  }

  /** Writes a field whose value does not depend on the row that it is a field of. */
  #ofNoParent(selected: Selected): Pieces | null {
    const { parleyRow, parleyQuery, parleyValue, parleyViewer } = extensionsOf(selected.field as Field);
    if (parleyRow) return this.#single.marked(selected, parleyRow);
    if (parleyQuery) {
      for (const model of parleyQuery.reads) this.#mayRead(model);
      return this.#single.ofQuery(selected, parleyQuery);
    }
    if (parleyValue) return this.#single.value(parleyValue);
    if (!parleyViewer) return null;
    const before = this.#tables;
    const viewer = this.#single.viewer(selected);
    return this.#tables > before ? viewer : unsupported(`${selected.field?.name} without rows`);
  }

  #object(type: GraphQLObjectType, { nodes }: Selected, row: Row): Pieces {
    const fields = fieldsOf(this.#source, type, setsOf(nodes));
    return writeObject(fields, (selected) => this.#field(type, selected, row));
  }

  #field(type: GraphQLObjectType, selected: Selected, row: Row): Pieces {
    const { parleyNeeds: permission } = selected.field ? extensionsOf(selected.field) : {};
    const value = this.deferred.orDefer(type, selected, row, () => this.#value(type, selected, row));
    if (!permission) return value;
    const check: SqlPart = ({ context }) => {
      permit(context, permission);
      return '';
    };
    return written([check, ...concat(value)]);
  }

  #value(type: GraphQLObjectType, selected: Selected, row: Row): Pieces {
    const { field } = selected;
    if (!field) return text(JSON.stringify(type.name));
    const marks = extensionsOf(field);
    if (field.name === 'clientMutationId' && this.#mutation) return this.#mutationId(this.#mutation);
    if (marks.pothosExposedField) return columnLeaf(field, marks.pothosExposedField, row, this.postProcessors);
    if (field.name === 'id' && type.getInterfaces().some((interfaceType) => interfaceType.name === 'Node')) {
      return columnLeaf(field, 'id', row, this.postProcessors);
    }
    if (marks.parleySameRow) return this.#object(objectType(field), selected, row);
    if (marks.parleyColumns) return computed(field, marks, row, this.postProcessors);
    if (marks.parleyOneOf) return this.#single.oneOf(selected, marks.parleyOneOf, row);
    if (marks.parleyList) {
      const { parleyRelation = '', parleyThrough } = marks;
      return this.#connection(selected, this.#relatedRows(row, parleyRelation, parleyThrough));
    }
    if (marks.pothosPrismaRelationField) return this.#related(selected, marks.pothosPrismaRelationField.name, row);
    return this.#ofNoParent(selected) ?? unsupported(`${type.name}.${field.name}`);
  }

  #mutationId({ input }: Mutation): Pieces {
    return written([(binding) => binding.own(JSON.stringify(input(binding).clientMutationId ?? null), 'text')]);
  }

  #connection(selected: Selected, rows: Rows): Pieces {
    const field = selected.field as Field;
    const rule = extensionsOf(field).parleyList ?? unsupported(field.name);
    const args = argumentsOf<ListArguments>(selected);
    const write = () =>
      this.#list({ rule, rows, args, within: [] }, selected.nodes).write(objectType(field), selected.nodes);
    return extensionsOf(field).parleyThrough ? this.#nesting.shared(write) : write();
  }

  #list(list: Omit<CompiledList, 'plan'>, nodes: readonly FieldNode[], ofGroup?: CompiledRows): ConnectionWriter {
    const writer: ConnectionWriter = new ConnectionWriter({
      source: this.#source,
      models: this.#models,
      ...list,
      alias: this.#table(list.rows.model).alias,
      write: (item, row) => {
        const size = (binding: Binding) => writer.plan(binding).shape.size;
        const written = () => this.#object(objectType(item.field as Field), item, row);
        return wrapItem(item.nodes[0], this.#nesting.inList(size, written));
      },
      fieldsOfType: (item) => {
        const type = objectType(item.field as Field);
        return { type, fields: fieldsOf(this.#source, type, setsOf(item.nodes)) };
      },
      groups: (item, plan) => this.#groups(item, { ...(ofGroup?.list ?? list), plan }),
      leave: (reason) => (ofGroup ? unsupported(reason) : deferField(nodes, reason)),
      ...(ofGroup && { ofGroup }),
    });
    return writer;
  }

  /** Writes the groups of a list. */
  #groups(selected: Selected, list: CompiledList): Pieces {
    this.grouped.push(list.rule);
    const { alias } = this.#table(list.rows.model);
    const { times } = this.#nesting;
    const plan = (binding: Binding) => {
      // Resolvers read what several rows share only once.
      if (times(binding) > maxTimes) unsupported('a list that is grouped many times');
      return list.plan(binding);
    };
    const groups = new CompiledGroups(this.#source, this.#models, { list: { ...list, plan }, selected, alias });
    return new GroupsWriter({
      source: this.#source,
      postProcessors: this.postProcessors,
      groups,
      related: (item, model, id) => this.#relatedOfGroup(item, model, id),
      rows: (item) => this.#rowsOfGroup(item, groups),
    }).write(selected);
  }

  #relatedOfGroup(selected: Selected, modelName: string, id: SqlPart): Pieces {
    const field = selected.field as Field;
    const model = modelOf(this.#models, modelName);
    const ofWorkspace = model.columns.has('workspaceId');
    const row = this.#single.row(selected, objectType(field), (binding) => ({
      id: new Reference(id(binding)),
      ...(ofWorkspace && { workspaceId: binding.context.viewer.workspaceId }),
    }));
    return orNull(row, !isNonNullType(field.type));
  }

  #rowsOfGroup(selected: Selected, groups: CompiledGroups): { pieces: Pieces; table: SqlPart | null } {
    const field = selected.field as Field;
    const listArguments = argumentsOf<ListArguments>(selected);
    const rows = new CompiledRows(groups, `${this.#table(groups.list.rows.model).alias}g`);
    const args = (binding: Binding) => rows.args(binding, listArguments(binding));
    const writer = this.#list({ ...groups.list, args }, selected.nodes, rows);
    const pieces = writer.write(objectType(field), selected.nodes);
    return { pieces, table: writer.readsRows ? rows.table((binding) => writer.plan(binding)) : null };
  }

  /** Writes the row, or all rows, of a relation. */
  #related(selected: Selected, relationName: string, parent: Row): Pieces {
    const field = selected.field as Field;
    const relation = relationIn(parent.model, relationName);
    const rows = this.#relatedRows(parent, relationName);
    const { alias } = this.#table(rows.model);
    const row = { model: rows.model, alias };
    const write = () => concat(this.#object(objectType(field), selected, row));
    const item = relation.isList ? this.#nesting.inList(() => maxPageSize, write) : this.#nesting.shared(write);
    const query = (binding: Binding) => queryOf(field, relationName, binding.context);
    if (relation.isList) return this.#all(rows, alias, item, query);
    const nullable = !isNonNullType(field.type);
    if (relation.nullable && !nullable) unsupported(`the relation ${relationName}`);
    const found: SqlPart = (binding) => {
      if (Object.keys(query(binding)).length > 0) unsupported(`the relation ${relationName}`);
      return fromWhere(this.#models, binding, rows, alias, {});
    };
    return orNull(written(sql`(SELECT ${item} ${found})`), nullable);
  }

  #all(rows: Rows, alias: string, item: Sql, query: (binding: Binding) => RelationQuery): Pieces {
    const order: SqlPart = (binding) => {
      const { orderBy: orders } = query(binding);
      return orders ? orderBy(binding, rows.model, alias, [orders].flat()) : '';
    };
    const found: SqlPart = (binding) => {
      const { where = {}, orderBy: _, ...others } = query(binding);
      if (Object.keys(others).length > 0) unsupported('a relation with a limit');
      return fromWhere(this.#models, binding, rows, alias, where);
    };
    const items = sql`coalesce((SELECT string_agg(coalesce(${item}, ${[quote(unwrittenRow)]}), ',' ${order}) ${found}), '')`;
    return [...text('['), ...written(items), ...text(']')];
  }

  #relatedRows(row: Row, relationName: string, through?: string): Rows {
    this.#mayRead(relationIn(row.model, relationName).model);
    return relatedRows(this.#models, row, relationName, through);
  }

  /**
   * A statement sees the table that it writes in its previous state, except for the rows that the write itself returns.
   */
  #mayRead(model: string): void {
    if (this.#mutation && writesTable(this.#mutation.rowWrite, model)) unsupported(`${model} while it is written`);
  }

  #table(model: Model): Row {
    this.#mayRead(model.name);
    this.#tables += 1;
    return { model, alias: `t${this.#tables}` };
  }
}

/** How often a statement may group what could be the same list. */
const maxTimes = 20;
