import type { FieldNode, GraphQLField } from 'graphql';
import { invalid } from '../../core/errors.ts';
import { faultOf } from '../../core/json-limits.ts';
import {
  type Aggregate,
  type Grouping,
  type GroupKey,
  type Measure,
  type Spans,
  timeUnits,
  uniqueById,
} from '../group.ts';
import type { ListRule } from '../list.ts';
import { type RelatedRow, readPermissionOf } from '../list-access.ts';
import { zoneOf } from '../time/zones.ts';
import { type DistributionArguments, distributionOf } from './distribution.ts';
import { filledOf } from './fill.ts';
import { allRows, countId, keyId, measureId } from './ids.ts';
import { type RangeArguments, rangesIn } from './ranges.ts';
import { type RatioArguments, ratioOf } from './ratio.ts';
import { type DocumentReader, objectOf, type SelectedField } from './selection.ts';

/** What a document selects of a list's groups. */
export type Selected = Pick<Grouping, 'keys' | 'measures' | 'other' | 'previous' | 'cumulative' | 'distributions'> & {
  /** The related rows that it groups by, whose fields the viewer must be allowed to read. */
  related: RelatedRow[];
};

/** Maximum number of keys. */
const maxKeys = 8;

/** Fields of a group that are no measures, or have those of another kind. */
const notMeasures = new Set(['by', 'previous', 'cumulative', 'rows']);

/** Throws 400 `invalid_request`, naming the argument, unless running totals have one order by time. */
export function requireTime(keys: readonly GroupKey[], path: string): void {
  const spans = keys.filter(({ kind }) => kind === 'span').length;
  if (spans === 0)
    throw invalid(`${path}: adds up over time: select a time span in \`by\`, such as createdAt(every: week).`);
  if (spans > 1) throw invalid(`${path}: adds up over one time span, but \`by\` has several: leave one.`);
}

/** The field `groups`, and its nodes in the document. */
type GroupsField = { field: GraphQLField<unknown, unknown>; nodes: readonly FieldNode[] };

/**
 * Reads the selection of `groups`, which is the same for every viewer. Throws 400 `invalid_request` if it is not a
 * single grouping.
 */
export const readSelection = (rule: ListRule, reader: DocumentReader, groups: GroupsField): Selected =>
  new SelectionReader(rule, reader).read(groups);

class SelectionReader {
  readonly #rule: ListRule;
  readonly #reader: DocumentReader;
  readonly #related: RelatedRow[] = [];

  constructor(rule: ListRule, reader: DocumentReader) {
    this.#rule = rule;
    this.#reader = reader;
  }

  read({ field: connection, nodes }: GroupsField): Selected {
    const root = this.#reader.fields(objectOf(connection), nodes);
    const groups = root.flatMap((field) => {
      if (field.name === 'nodes') return [field];
      return field.name === 'edges' ? this.#fields(field).filter(({ name }) => name === 'node') : [];
    });
    const read = groups.map((group) => this.#group(group));
    const groupings = new Map(read.map(({ keys }) => [keys.map(({ id }) => id).join('\n'), keys]));
    if (groupings.size > 1) throw invalid('by: nodes and edges of one field must be grouped by the same keys.');
    const [keys = []] = groupings.values();
    if (keys.length > maxKeys) throw invalid(`by: must have at most ${maxKeys} keys, got ${keys.length}.`);
    if (filledOf(keys).length > 1) throw invalid('fill: only one time span or range can be filled.');
    const cumulative = read.flatMap((group) => group.cumulative);
    if (cumulative.length > 0) requireTime(keys, 'cumulative');
    const distributions = root.flatMap((field) =>
      field.name === 'distribution' && this.#rule.groups
        ? [distributionOf(this.#rule.groups, this.#reader.args(field) as DistributionArguments)]
        : [],
    );
    const otherMeasures = root.filter(({ name }) => name === 'other').map((field) => this.#measures(field));
    const previous = read.flatMap((group) => group.previous ?? []);
    return {
      keys,
      measures: uniqueById([
        allRows,
        ...cumulative,
        ...distributions.map(({ of }) => of),
        ...read.flatMap(({ measures }) => measures),
      ]),
      other: otherMeasures.length > 0 ? uniqueById([allRows, ...otherMeasures.flat()]) : null,
      previous: read.some((group) => group.previous) ? uniqueById([allRows, ...previous]) : null,
      cumulative: cumulative.length > 0 ? uniqueById(cumulative) : null,
      distributions: distributions.length > 0 ? uniqueById(distributions) : null,
      related: this.#related,
    };
  }

  #fields(field: SelectedField): SelectedField[] {
    return this.#reader.fields(objectOf(field.field), field.nodes);
  }

  #group(group: SelectedField) {
    const fields = this.#fields(group);
    const by = fields.filter(({ name }) => name === 'by');
    if (by.length > 1) {
      throw invalid(
        'by: can be selected once per group: select all keys in one `by`, with aliases to select a key twice.',
      );
    }
    const previous = fields.filter(({ name }) => name === 'previous');
    return {
      keys: uniqueById(by.flatMap((field) => this.#fields(field).map((key) => this.#key(key)))),
      measures: this.#measuresOf(fields),
      previous: previous.length > 0 ? previous.flatMap((field) => this.#measures(field)) : null,
      cumulative: fields.flatMap((field) => (field.name === 'cumulative' ? this.#measures(field) : [])),
    };
  }

  #key(field: SelectedField): GroupKey {
    const args = this.#reader.args(field);
    const id = keyId(field.name, args);
    const timeZone = 'timeZone' in args ? zoneOf(args.timeZone as string) : 'UTC';
    if (field.name === 'hourOfDay' || field.name === 'dayOfWeek') {
      return { id, kind: field.name, column: args.of as string, timeZone };
    }
    if (field.name === 'range') {
      const given = args as RangeArguments;
      return { id, kind: 'range', column: given.of, ranges: rangesIn(given), fill: given.fill };
    }
    if (timeUnits.includes(args.every as Spans['every'])) {
      const { every, weekStart, fill } = args as Spans;
      return { id, kind: 'span', column: field.name, every, weekStart, fill, timeZone };
    }
    const dimension = this.#rule.groups?.by[field.name];
    if (!dimension) throw new Error(`${this.#rule.model} rows are not grouped by ${field.name}`);
    if (dimension.kind === 'related') {
      const fields = this.#fields(field).map(({ name }) => name);
      const read = readPermissionOf(objectOf(field.field));
      this.#related.push({ name: field.name, dimension, fields, read });
    }
    const key = args.key as string | undefined;
    const fault = faultOf(key ?? '');
    if (fault) throw invalid(`key: ${fault}`);
    return { id, kind: 'column', dimension, key };
  }

  #measures(field: SelectedField): Measure[] {
    return this.#measuresOf(this.#fields(field));
  }

  #measuresOf(fields: SelectedField[]): Measure[] {
    return fields.flatMap((field): Measure[] => {
      if (field.name === 'count') {
        const filter = (this.#reader.args(field).filter ?? null) as Record<string, unknown> | null;
        const id = countId(filter);
        return [{ id, aggregate: 'count', filter: id === allRows.id ? null : filter }];
      }
      if (notMeasures.has(field.name)) return [];
      if (field.name === 'ratio' && this.#rule.groups) {
        const { of, to } = ratioOf(this.#rule.groups, this.#reader.args(field) as RatioArguments);
        return [of, to];
      }
      const aggregate = field.name as Aggregate;
      return this.#fields(field).map(({ name: column }) => ({ id: measureId(aggregate, column), aggregate, column }));
    });
  }
}
