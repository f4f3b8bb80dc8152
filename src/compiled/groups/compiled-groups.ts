import type { ListRule } from '../../database/query/list.ts';
import type { ListArguments } from '../../database/query/pagination.ts';
import { argumentsOf } from '../compile/arguments.ts';
import type { Selected, Source } from '../compile/selection.ts';
import type { Binding } from '../sql/binding.ts';
import type { Models } from '../sql/models.ts';
import type { Rows } from '../sql/rows.ts';
import { unsupported } from '../unsupported.ts';
import { keyOf, placeOfKey } from './keys.ts';
import { readSelection } from './plan.ts';
import { type GroupArguments, type GroupRequest, planGroups } from './scope.ts';
import { readerOf } from './selection.ts';
import { type Grouped, GroupsStatement } from './statement.ts';

/** A list with compiled groups. */
export type CompiledList = {
  rule: ListRule;
  rows: Rows;
  args: (binding: Binding) => ListArguments;
  /** Throws if the viewer may not read it, or arguments are invalid. */
  check: (binding: Binding) => void;
  /** The groups that it is nested in, outermost first. */
  within: readonly CompiledGroups[];
};

type Run = GroupRequest & { grouped: Grouped; statement: GroupsStatement };

/** The groups of a list in a compiled statement; the grouping is known only at run time. */
export class CompiledGroups {
  readonly list: CompiledList;
  /** The alias of the page's groups, unique in the statement. */
  readonly alias: string;
  readonly #source: Source;
  readonly #models: Models;
  readonly #selected: Selected;
  readonly #args: (binding: Binding) => GroupArguments;

  constructor(
    source: Source,
    models: Models,
    { list, selected, alias }: { list: CompiledList; selected: Selected; alias: string },
  ) {
    this.#source = source;
    this.#models = models;
    this.list = list;
    this.alias = alias;
    this.#selected = selected;
    this.#args = argumentsOf(selected.field ?? unsupported('groups'), selected.nodes[0] as never);
  }

  /** Returns the grouping of a run, and its tables. Throws 400 `invalid_request`. */
  run(binding: Binding): Run {
    return binding.once(this, () => {
      const { rule, rows, within, args, check } = this.list;
      check(binding);
      const field = this.#selected.field ?? unsupported('groups');
      const reader = readerOf(this.#source, binding.context, binding.variables);
      const selected = readSelection(rule, reader, { field, nodes: this.#selected.nodes }, binding.context);
      const keys = within.map((outer) => outer.run(binding).grouping.keys);
      const list = { rule, parent: null, within: keys, args: args(binding) };
      const input = { args: this.#args(binding), context: binding.context };
      const request = planGroups(list, within.length > 0 ? null : [], selected, input);
      const inGroups = (alias: string) => within.flatMap((outer) => outer.holds(binding, alias));
      const grouped = { ...request.scope, models: this.#models, rows, inGroups };
      return { ...request, grouped, statement: new GroupsStatement(binding, grouped, request.grouping) };
    });
  }

  /** Returns the conditions that a row of the list belongs to the current group. */
  holds(binding: Binding, alias: string): string[] {
    const { grouping, statement, grouped } = this.run(binding);
    return grouping.keys.map(
      (key, index) => `${keyOf(binding, grouped.rows.model, alias, key)} = ${this.alias}.${statement.keys[index]}`,
    );
  }

  /** Returns the column of a key. */
  keyColumn(binding: Binding, id: string): string {
    const { grouping, statement } = this.run(binding);
    const index = grouping.keys.findIndex((key) => key.id === id);
    return `${this.alias}.${statement.keys[index] ?? unsupported('a key that is not grouped by')}`;
  }

  /** SQL for a group's keys as a JSON array, as in cursors. */
  place(binding: Binding): string {
    const { grouping, statement } = this.run(binding);
    const texts = grouping.keys.map(
      (key, index) => `to_json(${placeOfKey(key, `${this.alias}.${statement.keys[index]}`)})::text`,
    );
    return texts.length > 0 ? `'[' || ${texts.join(` || ',' || `)} || ']'` : `'[]'`;
  }
}

/** SQL for the places of nested groups, outermost first, as a JSON array. */
export const placesOf = (groups: readonly CompiledGroups[], binding: Binding): string =>
  groups.length > 0 ? `'[' || ${groups.map((each) => each.place(binding)).join(` || ',' || `)} || ']'` : `'[]'`;
