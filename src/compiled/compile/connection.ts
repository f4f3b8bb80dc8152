import type { FieldNode, GraphQLObjectType } from 'graphql';
import { estimation } from '../../database/query/estimates.ts';
import { countPrecisions, isWholeWorkspace, limitOfCount } from '../../lists/count.ts';
import { maxRowsSortedByKey } from '../../lists/key-order.ts';
import type { ListRule } from '../../lists/list.ts';
import { permitNumbers, permitRows } from '../../lists/list-access.ts';
import { type ListArguments, type Page, planPage } from '../../lists/pagination.ts';
import { argumentsOf, fieldsOf, type Selected, type Source, setsOf } from '../../lists/selection.ts';
import type { Binding, SqlPart } from '../../lists/sql/binding.ts';
import type { Models } from '../../lists/sql/models.ts';
import { fromWhere, orderBy, type Row, type Rows, reversed } from '../../lists/sql/rows.ts';
import { concat, type Pieces, quote, sql, text, written } from '../../lists/sql/sql.ts';
import { unsupported } from '../../lists/unsupported.ts';
import { markValue } from '../sql/pick.ts';
import { cursorOf } from './cursor.ts';
import { unwrittenRow } from './post-process.ts';

/** The rows of a group as a connection: `FROM … WHERE …` of a page, how many they are, and what its cursors carry. */
export type RowsOfGroup = {
  found(binding: Binding, alias: string): string;
  count: SqlPart;
  seal(binding: Binding, page: Page): string;
};

/** A connection to compile: its rows, its rule, and how a row is written. */
type Connection = {
  source: Source;
  models: Models;
  rule: ListRule;
  rows: Rows;
  args: (binding: Binding) => ListArguments;
  /** An alias that is unique in the statement. */
  alias: string;
  /** Writes a row's selection as an object. */
  write: (field: Selected, row: Row) => Pieces;
  fieldsOfType: (field: Selected) => { type: GraphQLObjectType; fields: Selected[] };
  /** Writes the groups of its rows. `plan` plans the page, as `CompiledList.plan`. */
  groups: (field: Selected, plan: (binding: Binding) => Page) => Pieces;
  /** Throws what leaves the list to its resolver. */
  leave: (reason: string) => never;
  /** The rows of a group: found, counted and sealed together with it. */
  ofGroup?: RowsOfGroup;
};

/**
 * Writes a page of a list as an expression: one subquery for its rows and one for their count, each only if selected.
 */
export class ConnectionWriter {
  readonly #connection: Connection;
  #readsMore = false;
  #readsEnds = false;
  #readsRows = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Writes the connection object. */
  write(type: GraphQLObjectType, nodes: readonly FieldNode[]): Pieces {
    const fields = fieldsOf(this.#connection.source, type, setsOf(nodes));
    const pieces = writeObject(fields, (field) => this.#field(type, field));
    // Permissions and arguments are checked even if nothing of the list is read.
    if (!this.#readsRows) return written([this.#check, ...concat(pieces)]);
    // HAVING ensures a single row even if no aggregate is selected.
    const page = sql`(SELECT ${concat(pieces)} FROM (${this.#page}) ${[this.#connection.alias]} HAVING true)`;
    return written(sql`${this.#tooMany}${page}${this.#end}`);
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

  /** Whether rows are selected, and not just their count; known after `write`. */
  get readsRows(): boolean {
    return this.#readsRows;
  }

  get #row(): Row {
    return { model: this.#connection.rows.model, alias: this.#connection.alias };
  }

  #edge(selected: Selected): Pieces {
    const { type, fields } = this.#connection.fieldsOfType(selected);
    return writeObject(fields, (field) => {
      if (!field.field) return text(JSON.stringify(type.name));
      if (field.field.name === 'node') return this.#connection.write(field, this.#row);
      // A search that ranks is left to the resolvers, and only its rows have a match.
      if (field.field.name === 'match') return text('null');
      if (field.field.name === 'cursor') return written([(binding) => `(${this.#cursor(binding)})`]);
      return unsupported(`${type.name}.${field.field.name}`);
    });
  }

  #pageInfo(selected: Selected): Pieces {
    const { type, fields } = this.#connection.fieldsOfType(selected);
    return writeObject(fields, ({ field }) => {
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

  /** Plans the page. Throws if the viewer may not read it, or arguments are invalid. */
  plan(binding: Binding): Page {
    const { rule, args, leave, ofGroup } = this.#connection;
    return binding.once(this, () => {
      const pageArgs = args(binding);
      if (this.#readsRows) permitRows(binding.context, rule);
      permitNumbers(binding.context, rule, pageArgs);
      if (rule.ranked && pageArgs.search) leave('a search that ranks');
      const page = planPage(rule, pageArgs, binding.context);
      if (page.isByKey && ofGroup) leave('an order by a key');
      return page;
    });
  }

  /** Too many rows to be sorted by a key: the whole response is rejected, and the resolvers say so. */
  readonly #tooMany: SqlPart = (binding) => {
    const { models, rows, alias } = this.#connection;
    const { where, isByKey } = this.plan(binding);
    if (!isByKey) return '';
    const all = `SELECT 1 ${fromWhere(models, binding, rows, `${alias}k`, where)} LIMIT ${maxRowsSortedByKey + 1}`;
    const tooMany = `(SELECT count(*) FROM (${all}) ${alias}l) > ${maxRowsSortedByKey}`;
    return `CASE WHEN ${tooMany} THEN ${quote(unwrittenRow)} ELSE `;
  };

  readonly #end: SqlPart = (binding) => (this.plan(binding).isByKey ? ' END' : '');

  readonly #check: SqlPart = (binding) => {
    this.plan(binding);
    return '';
  };

  /**
   * The rows of the page, numbered if a field depends on that, and with one more row if a field needs to know whether
   * it exists.
   */
  readonly #page: SqlPart = (binding) => {
    const { models, rows, alias, ofGroup } = this.#connection;
    const { where, keyset, query, shape } = this.plan(binding);
    const limit = this.#readsMore ? query.take : shape.size;
    const offset = query.skip && !ofGroup ? ` OFFSET ${offsetOf(binding, query.skip)}` : '';
    const inner = `${alias}p`;
    const found = ofGroup?.found(binding, inner) ?? fromWhere(models, binding, rows, inner, where, keyset);
    const page = `SELECT ${inner}.* ${found} ${orderBy(binding, rows.model, inner, query.orderBy)} LIMIT ${limit}${offset}`;
    if (!this.#isNumbered) return page;
    return `SELECT *, row_number() OVER () AS "#", count(*) OVER () AS "##" FROM (${page}) ${inner}n`;
  };

  get #isNumbered(): boolean {
    return this.#readsMore || this.#readsEnds;
  }

  readonly #count: SqlPart = (binding) => {
    const { models, rows, alias, ofGroup } = this.#connection;
    if (ofGroup) {
      this.plan(binding);
      return `${ofGroup.count(binding)}::text`;
    }
    return `(SELECT count(*)::text ${fromWhere(models, binding, rows, `${alias}c`, this.plan(binding).where)})`;
  };

  /** Counts up to the limit plus one, which tells whether there are more. */
  #countUpTo(selected: Selected): Pieces {
    const { models, rows, alias, fieldsOfType } = this.#connection;
    const args = argumentsOf<{ limit: number; estimate: boolean }>(selected);
    const limitOf = (binding: Binding) => limitOfCount(args(binding).limit);
    const [counted, about] = [`${alias}u."n"`, `${alias}u."about"`];
    const { type, fields } = fieldsOfType(selected);
    const pieces = writeObject(fields, ({ field }) => {
      if (!field) return text(JSON.stringify(type.name));
      if (field.name === 'count') {
        return written([(binding) => `coalesce(${about}, least(${counted}, ${limitOf(binding)}))::text`]);
      }
      if (field.name !== 'precision') return unsupported(`${type.name}.${field.name}`);
      const { estimate, atLeast, exact } = countPrecisions;
      const [some, more, all] = [estimate, atLeast, exact].map((word) => quote(JSON.stringify(word)));
      const estimateOrMore = `CASE WHEN ${about} IS NULL THEN ${more} ELSE ${some} END`;
      return written([
        (binding) => `CASE WHEN ${counted} > ${limitOf(binding)} THEN ${estimateOrMore} ELSE ${all} END`,
      ]);
    });
    const found: SqlPart = (binding) =>
      `SELECT 1 ${fromWhere(models, binding, rows, `${alias}c`, this.plan(binding).where)} LIMIT ${limitOf(binding) + 1}`;
    const estimated: SqlPart = (binding) =>
      args(binding).estimate ? this.#estimateBeyond(binding, limitOf(binding)) : 'NULL::int';
    const { ofGroup } = this.#connection;
    const limited: SqlPart = (binding) => {
      this.plan(binding);
      return `least(${ofGroup?.count(binding)}, ${limitOf(binding) + 1})`;
    };
    const count = ofGroup
      ? sql`SELECT ${limited} AS "n", NULL::int AS "about"`
      : sql`SELECT count(*) AS "n", ${estimated} AS "about" FROM (${found}) ${[`${alias}f`]}`;
    return written(sql`(SELECT ${concat(pieces)} FROM (${count}) ${[`${alias}u`]})`);
  }

  /** SQL for the estimate, if there are more rows than the limit and the estimate says so too; null otherwise. */
  #estimateBeyond(binding: Binding, limit: number): string {
    const { rule, rows, alias, args } = this.#connection;
    const { viewer, pool } = binding.context;
    // The nodes of a cluster have the statistics.
    if (
      pool.isDistributed ||
      rows.belongs(alias, {}, binding).length > 0 ||
      !isWholeWorkspace(rule, args(binding), viewer)
    )
      return 'NULL::int';
    const [table, workspace] = [rows.model.name, viewer.workspaceId].map((value) => binding.value(value, 'text'));
    return `CASE WHEN count(*) > ${limit} THEN (SELECT e FROM ${estimation(table as string, workspace as string)} AS e(e) WHERE e > ${limit}) END`;
  }

  #list(item: Pieces): Pieces {
    const onlyPage: SqlPart = (binding) =>
      this.#readsMore ? ` FILTER (WHERE ${this.#connection.alias}."#" <= ${this.plan(binding).shape.size})` : '';
    const whole = sql`coalesce(${concat(item)}, ${[quote(unwrittenRow)]})`;
    const items = sql`coalesce(string_agg(${whole}, ','${this.#order})${onlyPage}, '')`;
    return [...text('['), ...written(items), ...text(']')];
  }

  /** Rows are read in page order; only a backward page has to be reversed. */
  readonly #order: SqlPart = (binding) => {
    const { rows, alias } = this.#connection;
    const { query, shape } = this.plan(binding);
    return shape.backward ? ` ${orderBy(binding, rows.model, alias, reversed(query.orderBy))}` : '';
  };

  #hasMore(binding: Binding, before: boolean): string {
    const { backward, preceded, size } = this.plan(binding).shape;
    return before === backward ? `(count(*) > ${size})::text` : `'${preceded}'`;
  }

  #cursor(binding: Binding): string {
    const { rows, alias, ofGroup } = this.#connection;
    const page = this.plan(binding);
    if (page.isByKey) this.#connection.leave('a cursor of an order by a key');
    const seal = ofGroup?.seal(binding, page) ?? binding.value(page.shape.cursor.seal(), 'text');
    return cursorOf(rows.model, alias, page.shape, seal);
  }

  /** The cursor of the first or last row, computed for that row only. */
  #endCursor(binding: Binding, first: boolean): string {
    const { alias } = this.#connection;
    const { backward, size } = this.plan(binding).shape;
    if (size === 0) return "'null'";
    const number = first === backward ? `least(${alias}."##", ${size})` : '1';
    return `coalesce(string_agg(${this.#cursor(binding)}, '') FILTER (WHERE ${alias}."#" = ${number}), 'null')`;
  }
}

/** Writes an object: its keys, and `write` for each value. */
export function writeObject(fields: Selected[], write: (field: Selected) => Pieces): Pieces {
  const pieces = fields.flatMap((field, index) => [
    ...text(`${index > 0 ? ',' : ''}${JSON.stringify(field.key)}:`),
    ...markValue(field.nodes[0], write(field)),
  ]);
  return [...text('{'), ...pieces, ...text('}')];
}

/**
 * Writes the offset. The embedded database would replan the page for every offset, which takes as long as reading it;
 * inside a subquery the value is opaque to the planner. On a server with large lists, the plan should depend on it.
 */
function offsetOf(binding: Binding, skip: number): string {
  const offset = binding.value(skip, 'bigint');
  return binding.context.config.databaseUrl ? offset : `(SELECT ${offset})`;
}
