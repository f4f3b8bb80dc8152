import type { FieldNode } from 'graphql';
import { argumentsOfField } from '../../graphql/documents/field-arguments.ts';
import type { GroupKey } from '../../lists/group.ts';
import { keyOf, positionOfKey } from '../../lists/groups/keys.ts';
import { readSelection } from '../../lists/groups/plan.ts';
import { type GroupArguments, type GroupRequest, planGroups } from '../../lists/groups/scope.ts';
import { isFixed, readerOf, type SelectedField } from '../../lists/groups/selection.ts';
import { columnOfKey, type Grouped, GroupsStatement, modelIn } from '../../lists/groups/statement.ts';
import type { ListRule } from '../../lists/list.ts';
import type { ListArguments, Page } from '../../lists/pagination.ts';
import { argumentsOf, type Selected, type Source } from '../../lists/selection.ts';
import type { Binding, Sql, SqlPart, TextBinding } from '../../lists/sql/binding.ts';
import type { Models } from '../../lists/sql/models.ts';
import { Recorder } from '../../lists/sql/recorder.ts';
import type { Rows } from '../../lists/sql/rows.ts';
import { unsupported } from '../../lists/unsupported.ts';

/** A list with compiled groups. */
export type CompiledList = {
  rule: ListRule;
  rows: Rows;
  args: (binding: Binding) => ListArguments;
  /** Plans its page. Throws if the viewer may not read the list, or arguments are invalid. */
  plan: (binding: Binding) => Page;
  /** The groups that it is nested in, outermost first. */
  within: readonly CompiledGroups[];
};

/** The groups of one run: what is asked for, and the arguments of a field selected of them. */
type Run = GroupRequest & {
  statement: GroupsStatement;
  args: <Args>(field: SelectedField['field'], node: FieldNode) => Args;
};

/**
 * The groups of a list in a compiled statement. Where the document alone determines the grouping, its text is written
 * once for all runs; where variables do, by each run.
 */
export class CompiledGroups {
  readonly list: CompiledList;
  /** The alias of the page's groups, unique in the statement. */
  readonly alias: string;
  /** The rows to group. */
  readonly grouped: Grouped;
  readonly #source: Source;
  readonly #selected: Selected;
  readonly #args: (binding: Binding) => GroupArguments;
  /** Writes what is the same for all runs; null if the grouping depends on variables. */
  readonly #recorder: Recorder | null;
  #fixed: { selected: ReturnType<typeof readSelection>; statement: GroupsStatement } | null = null;

  constructor(
    source: Source,
    models: Models,
    { list, selected, alias }: { list: CompiledList; selected: Selected; alias: string },
  ) {
    this.#source = source;
    this.list = list;
    this.alias = alias;
    this.#selected = selected;
    this.#args = argumentsOf(selected);
    this.#recorder = isFixed(source, selected.nodes) ? new Recorder(alias) : null;
    this.grouped = {
      rule: list.rule,
      models,
      rows: list.rows,
      conditions: (binding) => ({
        ...this.run(binding).scope,
        inGroups: (of) => list.within.flatMap((outer) => outer.#holds(binding, of)),
      }),
    };
  }

  /** Returns the grouping of a run. Throws 400 `invalid_request`, and 403 `forbidden` for keys that may not be read. */
  run(binding: Binding): Run {
    return binding.once(this, () => {
      const { rule, within, args, plan } = this.list;
      const { where } = plan(binding);
      const selected = this.#fixed?.selected ?? this.#read(binding);
      const keys = within.map((outer) => outer.run(binding).grouping.keys);
      const list = { rule, parent: null, within: keys, args: args(binding), where };
      const input = { args: this.#args(binding), context: binding.context };
      const request = planGroups(list, within.length > 0 ? null : [], selected, input);
      const statement =
        this.#fixed?.statement ?? new GroupsStatement(this.#recorder ?? binding, this.grouped, request.grouping);
      if (this.#recorder) this.#fixed ??= { selected, statement };
      return { ...request, statement, args: (field, node) => argumentsOfField(binding, field, node) };
    });
  }

  #read(binding: Binding): ReturnType<typeof readSelection> {
    const field = this.#selected.field ?? unsupported('groups');
    const reader = readerOf(this.#source, binding.context, binding.variables);
    return readSelection(this.list.rule, reader, { field, nodes: this.#selected.nodes });
  }

  /**
   * Returns a slot with a part of the groups' text. `write` gets the run for what the grouping determines; whatever
   * else a run determines, it has to write by `later`.
   */
  slot(write: (run: Omit<Run, 'scope' | 'bound'>, binding: TextBinding) => string): SqlPart {
    let recorded: Sql | undefined;
    return (binding) => {
      const run = this.run(binding);
      if (!this.#recorder) return write(run, binding);
      recorded ??= this.#recorder.read(write(run, this.#recorder));
      return binding.write(recorded);
    };
  }

  /** Returns the conditions that a row of the list belongs to the current group. */
  #holds(binding: Binding, alias: string): string[] {
    const of = modelIn(this.grouped);
    return this.run(binding).grouping.keys.map(
      (key, index) => `${keyOf(binding, of, alias, key)} = ${this.#column(index)}`,
    );
  }

  /** Returns the column of a key. */
  columnOf(keys: readonly GroupKey[], id: string): string {
    const index = keys.findIndex((key) => key.id === id);
    return index < 0 ? unsupported('a key that is not grouped by') : this.#column(index);
  }

  #column(index: number): string {
    return `${this.alias}.${columnOfKey(index)}`;
  }

  /** SQL for a group's keys as a JSON array, as in cursors. */
  position(keys: readonly GroupKey[]): string {
    const texts = keys.map((key, index) => `to_json(${positionOfKey(key, this.#column(index))})::text`);
    return texts.length > 0 ? `'[' || ${texts.join(` || ',' || `)} || ']'` : `'[]'`;
  }
}

/** SQL for the positions of nested groups, outermost first, as a JSON array. */
export const positionsOf = (groups: readonly CompiledGroups[], binding: Binding): string =>
  groups.length > 0
    ? `'[' || ${groups.map((each) => each.position(each.run(binding).grouping.keys)).join(` || ',' || `)} || ']'`
    : `'[]'`;
