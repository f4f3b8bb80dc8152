import type { FieldNode, GraphQLObjectType } from 'graphql';
import { canEstimate, countPrecisions, estimation, limitOfCount } from '../database/query/count.ts';
import type { ListRule } from '../database/query/list.ts';
import { permitNumbers, permitRows } from '../database/query/list-access.ts';
import { type ListArguments, type Page, planPage } from '../database/query/pagination.ts';
import { argumentsOf } from './arguments.ts';
import type { Binding, Slot } from './binding.ts';
import { cursorOf } from './cursor.ts';
import type { CompiledRows } from './groups/compiled-rows.ts';
import type { Models } from './models.ts';
import { asPicked } from './pick.ts';
import { unwritten } from './post-process.ts';
import { fromWhere, orderBy, type Row, type Rows, reversed } from './rows.ts';
import { fieldsOf, type Selected, type Source, setsOf } from './selection.ts';
import { concat, type Pieces, quote, sql, text, written } from './sql.ts';
import { unsupported } from './unsupported.ts';

/** A connection to compile: where its rows are, the rule that they obey, and how one of them is written. */
export type Connection = {
  source: Source;
  models: Models;
  rule: ListRule;
  rows: Rows;
  args: (binding: Binding) => ListArguments;
  /** A name that no other table of the statement has. */
  alias: string;
  /** The selection of a row as an object of the response. */
  write: (field: Selected, row: Row) => Pieces;
  fieldsOfType: (field: Selected) => { type: GraphQLObjectType; fields: Selected[] };
  /** Its rows in groups. `check` throws for whoever may not ask the list, and for arguments that are wrong. */
  groups: (field: Selected, check: (binding: Binding) => void) => Pieces;
  /** The rows of a group, which were found, counted and sealed with it. */
  ofGroup?: CompiledRows;
};

/** A page of a list as an expression: one subselect for its rows, and one for their count, each only when asked for. */
export class ConnectionWriter {
  readonly #connection: Connection;
  #readsMore = false;
  #readsEnds = false;
  #readsRows = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The pieces of the connection object. */
  write(type: GraphQLObjectType, nodes: readonly FieldNode[]): Pieces {
    const fields = fieldsOf(this.#connection.source, type, setsOf(nodes));
    const pieces = object(fields, (field) => this.#field(type, field));
    // A list of which nothing is read is asked for all the same: who may not, and what is wrong, is told.
    if (!this.#readsRows) return written([this.#check, ...concat(pieces)]);
    // One row, also when nothing that is asked for is an aggregate.
    return written(sql`(SELECT ${concat(pieces)} FROM (${this.#page}) ${[this.#connection.alias]} HAVING true)`);
  }

  #field(type: GraphQLObjectType, selected: Selected): Pieces {
    const name = selected.field?.name;
    if (!name) return text(JSON.stringify(type.name));
    if (name === 'totalCount') return written([this.#count]);
    if (name === 'countUpTo') return this.#countUpTo(selected);
    if (name === 'groups') return this.#connection.groups(selected, (binding) => this.plan(binding));
    this.#readsRows = true;
    if (name === 'nodes') return this.#list(this.#connection.write(selected, this.#row));
    if (name === 'edges') return this.#list(this.#edge(selected));
    if (name === 'pageInfo') return this.#pageInfo(selected);
    return unsupported(`${type.name}.${name}`);
  }

  /** Whether rows are asked for, and not their number alone: known when it is written. */
  get readsRows(): boolean {
    return this.#readsRows;
  }

  get #row(): Row {
    return { model: this.#connection.rows.model, alias: this.#connection.alias };
  }

  #edge(selected: Selected): Pieces {
    const { type, fields } = this.#connection.fieldsOfType(selected);
    return object(fields, (field) => {
      if (!field.field) return text(JSON.stringify(type.name));
      if (field.field.name === 'node') return this.#connection.write(field, this.#row);
      if (field.field.name === 'cursor') return written([(binding) => `(${this.#cursor(binding)})`]);
      return unsupported(`${type.name}.${field.field.name}`);
    });
  }

  #pageInfo(selected: Selected): Pieces {
    const { type, fields } = this.#connection.fieldsOfType(selected);
    return object(fields, ({ field }) => {
      switch (field?.name) {
        case undefined:
          return text(JSON.stringify(type.name));
        case 'hasNextPage':
          this.#readsMore = true;
          return written([(binding) => this.#hasMore(binding, false)]);
        case 'hasPreviousPage':
          this.#readsMore = true;
          return written([(binding) => this.#hasMore(binding, true)]);
        case 'startCursor':
          this.#readsEnds = true;
          return written([(binding) => this.#endCursor(binding, true)]);
        case 'endCursor':
          this.#readsEnds = true;
          return written([(binding) => this.#endCursor(binding, false)]);
        default:
          return unsupported(`${type.name}.${field?.name}`);
      }
    });
  }

  /** The page that is asked for. Throws for whoever may not ask it, and for arguments that are wrong. */
  plan(binding: Binding): Page {
    const { rule, args } = this.#connection;
    return binding.once(this, () => {
      const given = args(binding);
      if (this.#readsRows) permitRows(binding.context, rule);
      permitNumbers(binding.context, rule, given);
      if (rule.ranked && given.search) unsupported('a search that ranks');
      return planPage(rule, given, binding.context);
    });
  }

  readonly #check: Slot = (binding) => {
    this.plan(binding);
    return '';
  };

  /** The rows of the page, numbered when something depends on their number, and one more when that is asked. */
  readonly #page: Slot = (binding) => {
    const { models, rows, alias, ofGroup } = this.#connection;
    const { where, beyond, query, shape } = this.plan(binding);
    const limit = this.#readsMore ? query.take : shape.size;
    const offset = query.skip && !ofGroup ? ` OFFSET ${offsetOf(binding, query.skip)}` : '';
    const inner = `${alias}p`;
    const found = ofGroup?.found(binding, inner) ?? fromWhere(models, binding, rows, inner, where, beyond);
    const page = `SELECT ${inner}.* ${found} ${orderBy(rows.model, inner, query.orderBy)} LIMIT ${limit}${offset}`;
    if (!this.#isNumbered) return page;
    return `SELECT *, row_number() OVER () AS "#", count(*) OVER () AS "##" FROM (${page}) ${inner}n`;
  };

  get #isNumbered(): boolean {
    return this.#readsMore || this.#readsEnds;
  }

  readonly #count: Slot = (binding) => {
    const { models, rows, alias, ofGroup } = this.#connection;
    if (ofGroup) {
      this.plan(binding);
      return `${ofGroup.count(binding)}::text`;
    }
    return `(SELECT count(*)::text ${fromWhere(models, binding, rows, `${alias}c`, this.plan(binding).where)})`;
  };

  /** Counts no further than to the limit, and one row more, which tells whether there are more. */
  #countUpTo(selected: Selected): Pieces {
    const { models, rows, alias, fieldsOfType } = this.#connection;
    const args = argumentsOf<{ limit: number; estimate: boolean }>(
      selected.field ?? unsupported('a count'),
      selected.nodes[0] as FieldNode,
    );
    const limitOf = (binding: Binding) => limitOfCount(args(binding).limit);
    const [counted, about] = [`${alias}u."n"`, `${alias}u."about"`];
    const { type, fields } = fieldsOfType(selected);
    const pieces = object(fields, ({ field }) => {
      if (!field) return text(JSON.stringify(type.name));
      if (field.name === 'count') {
        return written([(binding) => `coalesce(${about}, least(${counted}, ${limitOf(binding)}))::text`]);
      }
      if (field.name !== 'precision') return unsupported(`${type.name}.${field.name}`);
      const { estimate, atLeast, exact } = countPrecisions;
      const [some, more, all] = [estimate, atLeast, exact].map((word) => quote(JSON.stringify(word)));
      const beyond = `CASE WHEN ${about} IS NULL THEN ${more} ELSE ${some} END`;
      return written([(binding) => `CASE WHEN ${counted} > ${limitOf(binding)} THEN ${beyond} ELSE ${all} END`]);
    });
    const found: Slot = (binding) =>
      `SELECT 1 ${fromWhere(models, binding, rows, `${alias}c`, this.plan(binding).where)} LIMIT ${limitOf(binding) + 1}`;
    const estimated: Slot = (binding) =>
      args(binding).estimate ? this.#estimateBeyond(binding, limitOf(binding)) : 'NULL::int';
    const { ofGroup } = this.#connection;
    const limited: Slot = (binding) => {
      this.plan(binding);
      return `least(${ofGroup?.count(binding)}, ${limitOf(binding) + 1})`;
    };
    const count = ofGroup
      ? sql`SELECT ${limited} AS "n", NULL::int AS "about"`
      : sql`SELECT count(*) AS "n", ${estimated} AS "about" FROM (${found}) ${[`${alias}f`]}`;
    return written(sql`(SELECT ${concat(pieces)} FROM (${count}) ${[`${alias}u`]})`);
  }

  /** An estimate of more than the limit, when there are more; null otherwise. */
  #estimateBeyond(binding: Binding, limit: number): string {
    const { rule, rows, alias, args } = this.#connection;
    const { viewer } = binding.context;
    if (rows.belongs(alias, {}).length > 0 || !canEstimate(rule, args(binding), viewer)) return 'NULL::int';
    const [table, workspace] = [rows.model.name, viewer.workspaceId].map((value) => binding.value(value, 'text'));
    return `CASE WHEN count(*) > ${limit} THEN (SELECT e FROM ${estimation(table as string, workspace as string)} AS e(e) WHERE e > ${limit}) END`;
  }

  #list(item: Pieces): Pieces {
    const onlyPage: Slot = (binding) =>
      this.#readsMore ? ` FILTER (WHERE ${this.#connection.alias}."#" <= ${this.plan(binding).shape.size})` : '';
    const whole = sql`coalesce(${concat(item)}, ${[quote(unwritten)]})`;
    const items = sql`coalesce(string_agg(${whole}, ','${this.#order})${onlyPage}, '')`;
    return [...text('['), ...written(items), ...text(']')];
  }

  /** A page is read in its order; only one that is read from the end is turned around. */
  readonly #order: Slot = (binding) => {
    const { rows, alias } = this.#connection;
    const { query, shape } = this.plan(binding);
    return shape.backward ? ` ${orderBy(rows.model, alias, reversed(query.orderBy))}` : '';
  };

  #hasMore(binding: Binding, before: boolean): string {
    const { backward, preceded, size } = this.plan(binding).shape;
    return before === backward ? `(count(*) > ${size})::text` : `'${preceded}'`;
  }

  #cursor(binding: Binding): string {
    const { rows, alias, ofGroup } = this.#connection;
    const page = this.plan(binding);
    const seal = ofGroup?.seal(binding, page) ?? binding.value(page.shape.cursor.seal, 'text');
    return cursorOf(rows.model, alias, page.shape, seal);
  }

  /** The cursor of the first or the last row: made of that row alone. */
  #endCursor(binding: Binding, first: boolean): string {
    const { alias } = this.#connection;
    const { backward, size } = this.plan(binding).shape;
    if (size === 0) return "'null'";
    const number = first === backward ? `least(${alias}."##", ${size})` : '1';
    return `coalesce(string_agg(${this.#cursor(binding)}, '') FILTER (WHERE ${alias}."#" = ${number}), 'null')`;
  }
}

/** An object: its keys, and what is written for each. */
export function object(fields: Selected[], write: (field: Selected) => Pieces): Pieces {
  const pieces = fields.flatMap((field, index) => [
    ...text(`${index > 0 ? ',' : ''}${JSON.stringify(field.key)}:`),
    ...asPicked(field.nodes[0], write(field)),
  ]);
  return [...text('{'), ...pieces, ...text('}')];
}

/**
 * The embedded database would plan a page anew for each offset, which takes as long as to read it: of what stands in a query of
 * its own it knows no value. Of the large lists of a server, the plan depends on it.
 */
function offsetOf(binding: Binding, skip: number): string {
  const offset = binding.value(skip, 'bigint');
  return binding.context.config.databaseUrl ? offset : `(SELECT ${offset})`;
}
