import { allRows } from '../../lists/groups/ids.ts';
import { rowsOfGroups } from '../../lists/groups/rows-of-groups.ts';
import { columnOfKey } from '../../lists/groups/statement.ts';
import { permitRows } from '../../lists/list-access.ts';
import { type ListArguments, type Page } from '../../lists/pagination.ts';
import type { Binding, SqlPart } from '../../lists/sql/binding.ts';
import { fromWhere, allRows as rowsOf } from '../../lists/sql/rows.ts';
import { name } from '../../lists/sql/sql.ts';
import { Reference } from '../../lists/sql/where.ts';
import { unsupported } from '../../lists/unsupported.ts';
import type { RowsOfGroup } from '../compile/connection.ts';
import type { CompiledGroups, CompiledList } from './compiled-groups.ts';
import { sealOfRows } from './cursors.ts';

/** The rows of a group as a connection. They are read for all groups of the page at once, as a table of this name. */
export class CompiledRows implements RowsOfGroup {
  readonly #groups: CompiledGroups;
  readonly #table: string;

  constructor(groups: CompiledGroups, table: string) {
    if (groups.list.rule.key) unsupported('groups of rows without an id');
    this.#groups = groups;
    this.#table = table;
    this.count = groups.slot(({ statement }) => statement.measure(allRows, groups.alias));
  }

  /** The list of a group's rows. */
  get list(): Omit<CompiledList, 'plan'> {
    const { list } = this.#groups;
    return { ...list, within: [...list.within, this.#groups] };
  }

  /** Returns the arguments for a page of them: filter and search of the list, the rest from the field `rows`. */
  args(binding: Binding, given: ListArguments): ListArguments {
    const { rule, args } = this.#groups.list;
    permitRows(binding.context, rule);
    if (given.after || given.before) unsupported('a cursor of the rows of a group');
    const { filter, search = null } = args(binding);
    return { ...given, filter: filter ?? null, search };
  }

  /** Returns `FROM … WHERE …` for the page of rows of one group. */
  found(binding: Binding, alias: string): string {
    const { rule, rows } = this.#groups.list;
    const { models } = this.#groups.grouped;
    const where = { AND: [rule.rows(binding.context.viewer), { id: new Reference(`${alias}r.id`) }] };
    const own = rowsOf(rows.model);
    const from = { ...own, from: (of: string) => `${this.#table} ${of}r, ${own.from(of, binding)}` };
    return `${fromWhere(models, binding, from, alias, where)} AND ${alias}r.grp = ${this.#groups.alias}.rn`;
  }

  /** How many rows a group has. */
  readonly count: SqlPart;

  seal(binding: Binding, page: Page): string {
    const { rule, args, within } = this.#groups.list;
    return sealOfRows(binding, { rule, args: args(binding), page, groups: [...within, this.#groups] });
  }

  /** Returns the table with the planned pages of all groups. */
  table(planOf: (binding: Binding) => Page): SqlPart {
    return (binding) => {
      const { keys } = this.#groups.run(binding).grouping;
      const groups = { from: 'page', keys: keys.map((_, index) => `page.${columnOfKey(index)}`), id: 'page.rn' };
      const rows = rowsOfGroups(binding, this.#groups.grouped, { page: planOf(binding), keys, groups });
      return `${name(this.#table)} AS MATERIALIZED (${rows})`;
    };
  }
}
