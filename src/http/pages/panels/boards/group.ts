import { type Cell, noList, type Table, tablesOf } from '../charts/table.ts';

/**
 * The documents that find one group of a result: `keys` lists the groups with their cursors after `$groupsAfter`,
 * `rows` reads the rows of the group after one. `path` is the field of the groups, or a count in them that has a filter
 * of its own. A number of a whole list has no
 * `keys`, and its `rows` need no cursor.
 */
export type GroupRows = { path: string; keys: string | null; rows: string };
/** A row of a table of groups. */
export type Group = { table: Table; row: number };

type Ask = (document: string, variables: { groupsAfter: string | null }) => Promise<unknown>;
/** Pages of 100 groups. */
const maxPages = 50;

/** What leads to the rows of the group of a row, or to those that one of its columns counts, if that counts others. */
export const rowsBehind = (all: GroupRows[], { path }: Table, column?: string): GroupRows | undefined =>
  all.find((one) => one.path === [...(path === noList && column ? [] : [path]), column ?? []].flat().join('.'));

/**
 * The cursor before the group with the keys of a row, as the groups are now; null for the first. Throws if there is no
 * such group any more.
 */
export async function cursorBefore({ path, keys }: GroupRows, group: Group, ask: Ask): Promise<string | null> {
  if (keys === null) return null;
  const wanted = keysIn(group.table, group.row);
  for (let after: string | null = null, page = 0; page < maxPages; page += 1) {
    const table: Table | undefined = tablesOf(await ask(keys, { groupsAfter: after })).find(
      (one) => one.path === group.table.path,
    );
    const cursors: number = table?.columns.findIndex(({ name }) => name === 'cursor') ?? -1;
    for (const [index, row] of table?.rows.entries() ?? []) {
      if (table && areSame(wanted, keysIn(table, index))) return after;
      after = String(row[cursors]);
    }
    if (!table || table.rows.length < 100) break;
  }
  throw new Error(
    path === group.table.path
      ? 'There is no such group any more: the rows have changed.'
      : 'None of the rows of this group are counted here now.',
  );
}

/** The keys of a row by their columns. A key without a value has none, whatever it has in other rows. */
const keysIn = ({ columns, rows }: Table, index: number): Map<string, Cell> =>
  new Map(
    columns.flatMap(({ name }, at) => {
      const cell = rows[index]?.[at] ?? null;
      return name.startsWith('by.') && cell !== null ? [[name, cell] as const] : [];
    }),
  );

const areSame = (a: Map<string, Cell>, b: Map<string, Cell>): boolean =>
  a.size === b.size && [...a].every(([name, cell]) => b.get(name) === cell);
