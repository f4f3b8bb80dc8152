import { getNamedType, isInputObjectType, Kind, parse, type SelectionSetNode } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { boardsQuery } from '../../src/http/pages/panels/save-panel.ts';
import { tileInput } from '../../src/http/pages/panels/tile-input.ts';

/** The paths of all fields of an input, such as `chart.x`. */
function pathsOf(type: unknown): string[] {
  if (!isInputObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap(({ name, type: of }) => {
    const inner = pathsOf(getNamedType(of));
    return inner.length > 0 ? inner.map((path) => `${name}.${path}`) : name;
  });
}

/** The paths of the fields that a selection reads. */
const readBy = ({ selections }: SelectionSetNode): string[] =>
  selections.flatMap((each) => {
    if (each.kind !== Kind.FIELD) return [];
    const { name, selectionSet } = each;
    return selectionSet ? readBy(selectionSet).map((path) => `${name.value}.${path}`) : name.value;
  });

test('saving in GraphiQL reads all that a tile has, and so loses nothing of the tiles of a board', () => {
  const [query] = parse(boardsQuery).definitions;
  const read = query?.kind === Kind.OPERATION_DEFINITION ? readBy(query.selectionSet) : [];
  const tiles = read.flatMap((path) => /^dashboards\.nodes\.tiles\.(.+)$/.exec(path)?.[1] ?? []);
  // To resume an alert is an act, which nobody does by saving other tiles.
  const saved = pathsOf(schema.getType('DashboardTileInput'))
    .filter((path) => path !== 'alert.resume')
    .map((path) => (path === 'operation' ? 'operationName' : path));
  expect(tiles.toSorted()).toEqual(saved.toSorted());
  const place = { x: 0, y: 0, width: 6, height: 4 };
  const alert = { column: null, rows: 'any', above: 1, below: null, noData: false, forMinutes: 0 } as const;
  const chart = { type: 'bar', data: null, x: null, y: null, split: null } as const;
  const tile = { operationName: 'agents', title: '', text: '', variables: {}, chart, alert, ...place };
  const again = tileInput({ ...tile, alert: { ...alert, state: 'quiet' } as never });
  const { operationName: operation, ...same } = tile;
  expect(again).toEqual({ ...same, operation });
});
