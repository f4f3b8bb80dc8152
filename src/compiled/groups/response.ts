import type { FieldNode, GraphQLObjectType } from 'graphql';
import { aggregates, type Distribution, type GroupKey, type Measure } from '../../lists/group.ts';
import { type DistributionArguments, distributionOf } from '../../lists/groups/distribution.ts';
import { countId, keyId, measureId } from '../../lists/groups/ids.ts';
import { textOfKey } from '../../lists/groups/keys.ts';
import { endsOf, noRange } from '../../lists/groups/ranges.ts';
import { type RatioArguments, ratioOf } from '../../lists/groups/ratio.ts';
import { objectOf } from '../../lists/groups/selection.ts';
import { boundsOf, isoBoundsOf } from '../../lists/groups/spans.ts';
import type { GroupsStatement, Measuring } from '../../lists/groups/statement.ts';
import { fieldsOf, type Selected, type Source, setsOf } from '../../lists/selection.ts';
import type { SqlPart, TextBinding } from '../../lists/sql/binding.ts';
import { concat, type Pieces, quote, sql, text, written } from '../../lists/sql/sql.ts';
import { unsupported } from '../../lists/unsupported.ts';
import { writeObject } from '../compile/connection.ts';
import { type PostProcessors, unwrittenRow } from '../compile/post-process.ts';
import type { CompiledGroups } from './compiled-groups.ts';
import { cursorOfGroup } from './cursors.ts';
import { bounds, rangeEnd, valueOfKey, valueOfMeasure, valueOfRatio } from './values.ts';

type Span = Extract<GroupKey, { kind: 'span' }>;
type Range = Extract<GroupKey, { kind: 'range' }>;
/** A field other than `__typename`. */
type Field = Selected & { field: NonNullable<Selected['field']> };
type CountArguments = { filter?: Record<string, unknown> | null };
/** Reads the arguments of a key. */
type KeyArguments = { args: <Args>(field: Field['field'], node: FieldNode) => Args };
type Written = (statement: GroupsStatement, measure: Measure) => string;

/** What writing the groups of a connection takes. */
type GroupsField = {
  source: Source;
  postProcessors: PostProcessors;
  groups: CompiledGroups;
  /** Writes the row that a key refers to, given an expression of its id. */
  related: (selected: Selected, model: string, id: SqlPart) => Pieces;
  /**
   * Writes the connection of a group's rows. `table` defines the table of `rowsOfGroups` that their pages are read
   * from.
   */
  rows: (selected: Selected, groups: CompiledGroups) => { pieces: Pieces; table: SqlPart | null };
};

/** Writes the groups of a connection as an expression: their tables, and the selection. */
export class GroupsWriter {
  readonly #field: GroupsField;
  readonly #tables: SqlPart[] = [];

  constructor(field: GroupsField) {
    this.#field = field;
  }

  write(selected: Selected): Pieces {
    const { groups } = this.#field;
    const pieces = this.#object(selected, (type, field) => this.#connection(type, field));
    const tables = groups.slot(({ statement }, binding) =>
      [...statement.tables(), ...this.#tables.map((table) => binding.later(table))].join(', '),
    );
    // Null if there would be too many groups, and so is the whole response: the resolvers say what to narrow.
    const begin = groups.slot(({ statement: { overfilled } }) =>
      overfilled ? `CASE WHEN NOT ${overfilled} THEN ` : 'CASE WHEN true THEN ',
    );
    return written(sql`(WITH ${tables} SELECT ${begin}${concat(pieces)} END)`);
  }

  #object(selected: Selected, write: (type: GraphQLObjectType, field: Field) => Pieces): Pieces {
    const type = objectOf(selected.field ?? unsupported('an object'));
    const fields = fieldsOf(this.#field.source, type, setsOf(selected.nodes));
    return writeObject(fields, (inner) =>
      inner.field ? write(type, inner as Field) : text(JSON.stringify(type.name)),
    );
  }

  #connection(type: GraphQLObjectType, selected: Field): Pieces {
    const { groups } = this.#field;
    switch (selected.field.name) {
      case 'totalCount':
        return written([groups.slot(({ statement }) => `${statement.total}::text`)]);
      case 'nodes':
        return this.#list(this.#group(selected));
      case 'edges':
        return this.#list(this.#object(selected, (edge, field) => this.#edge(edge, field)));
      case 'pageInfo':
        return this.#object(selected, (info, field) => this.#pageInfo(info, field));
      case 'other':
        return this.#other(selected);
      case 'distribution':
        return this.#distribution(selected);
      default:
        return unsupported(`${type.name}.${selected.field.name}`);
    }
  }

  #list(item: Pieces): Pieces {
    const { alias } = this.#field.groups;
    const whole = sql`coalesce(${concat(item)}, ${[quote(unwrittenRow)]})`;
    const items = sql`coalesce((SELECT string_agg(${whole}, ',' ORDER BY ${[alias]}.rn) FROM page ${[alias]}), '')`;
    return [...text('['), ...written(items), ...text(']')];
  }

  #edge(type: GraphQLObjectType, selected: Field): Pieces {
    if (selected.field.name === 'node') return this.#group(selected);
    if (selected.field.name === 'cursor') return written([cursorOfGroup(this.#field.groups)]);
    return unsupported(`${type.name}.${selected.field.name}`);
  }

  #pageInfo(type: GraphQLObjectType, { field: { name } }: Field): Pieces {
    const { groups } = this.#field;
    const end = (direction: 'asc' | 'desc') => {
      const first = `FROM page ${groups.alias} ORDER BY ${groups.alias}.rn ${direction} LIMIT 1`;
      return written(sql`coalesce((SELECT ${cursorOfGroup(groups)} ${[first]}), 'null')`);
    };
    if (name === 'hasNextPage') return written([groups.slot(({ statement }) => `${statement.more}::text`)]);
    if (name === 'hasPreviousPage') return written([groups.slot(({ grouping }) => `'${grouping.after !== null}'`)]);
    if (name === 'startCursor') return end('asc');
    return name === 'endCursor' ? end('desc') : unsupported(`${type.name}.${name}`);
  }

  #other(selected: Selected): Pieces {
    const { groups } = this.#field;
    const pieces = this.#object(selected, (type, field) =>
      this.#measure(type, field, (statement, measure) => statement.other(measure)),
    );
    // HAVING ensures a single row even without a measure.
    const from = groups.slot(({ statement }) => statement.fromOther);
    return written(sql`(SELECT ${concat(pieces)} ${from} HAVING true)`);
  }

  #distribution(selected: Field): Pieces {
    const { groups, postProcessors } = this.#field;
    const { field, nodes } = selected;
    const slot = (write: (of: Distribution, statement: GroupsStatement, binding: TextBinding) => string) =>
      groups.slot(({ args, statement }, binding) => {
        const rule = groups.list.rule.groups ?? unsupported('groups');
        const given = args<DistributionArguments>(field, nodes[0] as FieldNode);
        return write(distributionOf(rule, given), statement, binding);
      });
    const at = `${groups.alias}d`;
    const item = this.#object(selected, (_, { field: of, nodes: within }) => {
      if (of.name !== 'range') return written([`${at}.${of.name === 'rows' ? 'r' : 'n'}::text`]);
      const range = this.#object({ field: of, nodes: within } as Selected, (_type, { field: end }) =>
        rangeEnd(
          end,
          slot(({ ranges }, _statement, binding) => {
            const [from, to] = endsOf(binding, ranges, `${at}.k`);
            return end.name === 'from' ? from : to;
          }),
          postProcessors,
        ),
      );
      return written(sql`CASE WHEN ${[`${at}.k`]} = ${[noRange]} THEN 'null' ELSE ${concat(range)} END`);
    });
    const from = slot((of, statement) => statement.distributed(of));
    const items = sql`coalesce((SELECT string_agg(${concat(item)}, ',' ORDER BY ${[at]}.k) FROM ${[from]} ${[at]}), '')`;
    return [...text('['), ...written(items), ...text(']')];
  }

  #group(selected: Selected): Pieces {
    const { groups } = this.#field;
    const measured =
      (span: Measuring): Written =>
      (statement, measure) =>
        statement.measure(measure, groups.alias, span);
    return this.#object(selected, (type, inner) => {
      switch (inner.field.name) {
        case 'by':
          return this.#object(inner, (_, key) => this.#key(key));
        case 'previous':
          return this.#object(inner, (measures, field) => this.#measure(measures, field, measured('before')));
        case 'cumulative':
          return this.#object(inner, (measures, field) => this.#measure(measures, field, measured('until')));
        case 'rows':
          return this.#rows(inner);
        default:
          return this.#measure(type, inner, measured('now'));
      }
    });
  }

  #rows(selected: Selected): Pieces {
    const { pieces, table } = this.#field.rows(selected, this.#field.groups);
    if (table) this.#tables.push(table);
    return pieces;
  }

  #measure(type: GraphQLObjectType, selected: Field, write: Written): Pieces {
    const { groups, postProcessors } = this.#field;
    const { field, nodes } = selected;
    if (field.name === 'count') {
      const value = groups.slot(({ args, statement }) => {
        const { filter = null } = args<CountArguments>(field, nodes[0] as FieldNode);
        return write(statement, { id: countId(filter), aggregate: 'count', filter });
      });
      return valueOfMeasure(field, 'count', value, postProcessors);
    }
    const { groups: rule } = groups.list.rule;
    if (field.name === 'ratio' && rule) {
      const part = (name: 'of' | 'to') =>
        groups.slot(({ args, statement }) => {
          const parts = ratioOf(rule, args<RatioArguments>(field, nodes[0] as FieldNode));
          return write(statement, parts[name]);
        });
      return valueOfRatio(part('of'), part('to'), postProcessors);
    }
    const aggregate = aggregates.find((each) => each === field.name) ?? unsupported(`${type.name}.${field.name}`);
    return this.#object(selected, (_, { field: of }) => {
      const measure: Measure = { id: measureId(aggregate, of.name), aggregate, column: of.name };
      const value = groups.slot(({ statement }) => write(statement, measure));
      return valueOfMeasure(of, aggregate, value, postProcessors);
    });
  }

  #key(selected: Field): Pieces {
    const { groups, postProcessors, related } = this.#field;
    const { field, nodes } = selected;
    const idOf = ({ args }: KeyArguments) => keyId(field.name, args<object>(field, nodes[0] as FieldNode));
    const column = groups.slot((run) => groups.columnOf(run.grouping.keys, idOf(run)));
    if (field.args.some(({ name }) => name === 'every')) {
      return this.#object(selected, (_, { field: end }) => {
        const ofSpan = (write: (key: Span, column: string, of: TextBinding, statement: GroupsStatement) => string) =>
          groups.slot((run, binding) => {
            const { keys } = run.grouping;
            const id = idOf(run);
            const key = keys.find((each) => each.id === id) as Span;
            return write(key, groups.columnOf(keys, id), binding, run.statement);
          });
        if (end.name === 'partial') {
          return written([
            '(',
            ofSpan((key, subject, _binding, statement) => statement.isPartial(key, subject)),
            ')::text',
          ]);
        }
        const bound = (boundsIn: typeof boundsOf) =>
          ofSpan((key, subject, binding) => {
            const [from, to] = boundsIn(binding, key, subject);
            return end.name === 'from' ? from : to;
          });
        return bounds(end, { iso: bound(isoBoundsOf), milliseconds: bound(boundsOf) }, postProcessors);
      });
    }
    if (field.name === 'range') {
      const pieces = this.#object(selected, (_, { field: end }) => {
        const value = groups.slot((run, binding) => {
          const { keys } = run.grouping;
          const id = idOf(run);
          const [from, to] = endsOf(
            binding,
            (keys.find((each) => each.id === id) as Range).ranges,
            groups.columnOf(keys, id),
          );
          return end.name === 'from' ? from : to;
        });
        return rangeEnd(end, value, postProcessors);
      });
      return written(sql`CASE WHEN ${[column]} = ${[noRange]} THEN 'null' ELSE ${concat(pieces)} END`);
    }
    const dimension = groups.list.rule.groups?.by[field.name];
    if (dimension?.kind !== 'related') return valueOfKey(field, column);
    // Keys have the collation "C"; the index on ids has the default one.
    return related(selected, dimension.model, (binding) => `(${textOfKey(column(binding))}) COLLATE "default"`);
  }
}
