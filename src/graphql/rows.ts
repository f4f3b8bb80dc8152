import { isObject } from '../core/json.ts';

type Row = Record<string, unknown>;

/** The rows of a response's data: those of its list, or the data itself if it has no list or several. */
export function rowsIn(data: Row): Row[] {
  const lists = listsIn(data);
  return lists.length === 1 && lists[0] ? lists[0] : [data];
}

/** The root fields that have lists. */
export const listNames = (data: Row): string[] =>
  Object.entries(data).flatMap(([name, value]) => (listsIn({ [name]: value }).length > 0 ? [name] : []));

/** The outermost lists of objects. */
function listsIn(value: Row): Row[][] {
  return Object.values(value).flatMap((field) => {
    if (isObject(field)) return listsIn(field);
    if (!Array.isArray(field) || !field.every(isObject)) return [];
    return [field.map(rowOf)];
  });
}

/** A node in place of its edge, beside what else the edge has: its cursor, or the match of a search. */
const rowOf = (row: Row): Row =>
  isObject(row.node)
    ? Object.fromEntries(
        Object.entries(row).flatMap(([name, value]) =>
          name === 'node' ? Object.entries(value as Row) : [[name, value]],
        ),
      )
    : row;
