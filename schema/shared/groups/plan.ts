import type { GraphQLResolveInfo } from 'graphql';
import { argumentsIn, fieldsIn, objectOf, type SelectedField } from '../../../src/compiled/groups/index.ts';
import type { Context } from '../../../src/context.ts';
import { invalid } from '../../../src/core/errors.ts';
import {
  type Aggregate,
  type Grouping,
  type GroupKey,
  type Measure,
  type Spans,
  timeUnits,
} from '../../../src/database/query/group.ts';
import type { ListRule } from '../../../src/database/query/list.ts';
import { allRows, countId, keyId, measureId } from './told.ts';

/** What a document selects of the groups of a list. */
export type Selected = Pick<Grouping, 'keys' | 'measures' | 'other' | 'previous'>;

/** Keys that groups have at most. */
const mostKeys = 8;

/** Reads what is selected of `groups`. Throws 400 `invalid_request` for what is no one grouping. */
export function readSelection(rule: ListRule, context: Context, info: GraphQLResolveInfo): Selected {
  return new SelectionReader(rule, context, info).read();
}

class SelectionReader {
  readonly #rule: ListRule;
  readonly #context: Context;
  readonly #info: GraphQLResolveInfo;

  constructor(rule: ListRule, context: Context, info: GraphQLResolveInfo) {
    this.#rule = rule;
    this.#context = context;
    this.#info = info;
  }

  read(): Selected {
    const connection = this.#info.parentType.getFields()[this.#info.fieldName];
    if (!connection) throw new Error('groups of no connection');
    const root = fieldsIn(this.#info, objectOf(connection), this.#info.fieldNodes);
    const groups = root.flatMap((field) => {
      if (field.name === 'nodes') return [field];
      return field.name === 'edges' ? this.#fields(field).filter(({ name }) => name === 'node') : [];
    });
    const read = groups.map((group) => this.#group(group));
    const groupings = new Map(read.map(({ keys }) => [keys.map(({ id }) => id).join('\n'), keys]));
    if (groupings.size > 1) throw invalid('by: nodes and edges of one field must be grouped by the same.');
    const [keys = []] = groupings.values();
    if (keys.length > mostKeys) throw invalid(`by: must have at most ${mostKeys} keys, got ${keys.length}.`);
    const filled = keys.filter((key) => key.kind === 'span' && key.fill);
    if (filled.length > 1) throw invalid('fill: goes with one of the spans of time.');
    const others = root.filter(({ name }) => name === 'other').map((field) => this.#measures(field));
    const previous = read.flatMap((group) => group.previous ?? []);
    return {
      keys,
      measures: unique([allRows, ...read.flatMap(({ measures }) => measures)]),
      other: others.length > 0 ? unique(others.flat()) : null,
      previous: read.some((group) => group.previous) ? unique(previous) : null,
    };
  }

  #fields(field: SelectedField): SelectedField[] {
    return fieldsIn(this.#info, objectOf(field.field), field.nodes);
  }

  #group(group: SelectedField) {
    const fields = this.#fields(group);
    const by = fields.filter(({ name }) => name === 'by');
    if (by.length > 1) {
      throw invalid('by: stands in a group once: select all keys in one `by`, with aliases for the same one twice.');
    }
    const previous = fields.filter(({ name }) => name === 'previous');
    return {
      keys: uniqueKeys(by.flatMap((field) => this.#fields(field).map((key) => this.#key(key)))),
      measures: this.#measuresOf(fields),
      previous: previous.length > 0 ? previous.flatMap((field) => this.#measures(field)) : null,
    };
  }

  #key(field: SelectedField): GroupKey {
    const args = argumentsIn(field, this.#context, this.#info);
    const id = keyId(field.name, args);
    const timeZone = 'timeZone' in args ? zoneOf(args.timeZone as string) : 'UTC';
    if (field.name === 'hourOfDay' || field.name === 'dayOfWeek') {
      return { id, kind: field.name, column: args.of as string, timeZone };
    }
    if (timeUnits.includes(args.every as Spans['every'])) {
      const { every, weekStart, fill } = args as Spans;
      return { id, kind: 'span', column: field.name, every, weekStart, fill, timeZone };
    }
    const dimension = this.#rule.groups?.by[field.name];
    if (!dimension) throw new Error(`${this.#rule.model} rows are not grouped by ${field.name}`);
    const key = args.key as string | undefined;
    if (key?.includes('\0')) throw invalid('key: must not have the character U+0000.');
    return { id, kind: 'column', dimension, key };
  }

  #measures(field: SelectedField): Measure[] {
    return this.#measuresOf(this.#fields(field));
  }

  #measuresOf(fields: SelectedField[]): Measure[] {
    return fields.flatMap((field): Measure[] => {
      if (field.name === 'count') {
        const filter = (argumentsIn(field, this.#context, this.#info).filter ?? null) as Record<string, unknown> | null;
        const id = countId(filter);
        return [{ id, aggregate: 'count', filter: id === allRows.id ? null : filter }];
      }
      if (field.name === 'by' || field.name === 'previous' || field.name === 'rows') return [];
      const aggregate = field.name as Aggregate;
      return this.#fields(field).map(({ name: column }) => ({ id: measureId(aggregate, column), aggregate, column }));
    });
  }
}

const unique = (measures: Measure[]): Measure[] => [...new Map(measures.map((each) => [each.id, each])).values()];
const uniqueKeys = (keys: GroupKey[]): GroupKey[] => [...new Map(keys.map((each) => [each.id, each])).values()];

/** PostgreSQL reads an offset, which JavaScript takes too, the other way round. */
const looksLikeZone = /^[A-Za-z][\w+\-/]*$/;

function zoneOf(timeZone: string): string {
  const wrong = () =>
    invalid(`timeZone: must be a name of the IANA database, such as America/Sao_Paulo, got ${timeZone.slice(0, 60)}.`);
  if (!looksLikeZone.test(timeZone)) throw wrong();
  try {
    Intl.DateTimeFormat('en', { timeZone });
    return timeZone;
  } catch {
    throw wrong();
  }
}
