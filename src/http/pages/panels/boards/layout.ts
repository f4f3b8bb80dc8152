import type { Area } from '../../../../domain/dashboards/tiles.ts';

const columns = 12;
const most = { rows: 200, height: 24 };

/**
 * The areas of all tiles when one goes elsewhere or gets another size: others in its way move down, those below
 * them too, and none else. The same areas, if there is no room below.
 */
export function arrangedTiles(areas: readonly Area[], at: number, wanted: Area): Area[] {
  const width = within(wanted.width, 1, columns);
  const height = within(wanted.height, 1, most.height);
  const own = { x: within(wanted.x, 0, columns - width), y: within(wanted.y, 0, most.rows - 1), width, height };
  const settled = [own];
  const found = [...areas];
  found[at] = own;
  const others = [...areas.entries()].filter(([other]) => other !== at).toSorted(([, a], [, b]) => inOrder(a, b));
  for (const [other, given] of others) {
    const next = { ...given };
    for (let under = over(settled, next); under; under = over(settled, next)) next.y = under.y + under.height;
    settled.push(next);
    found[other] = next;
  }
  return found.every(({ y }) => y < most.rows) ? found : [...areas];
}

/** The order in which tiles are read. */
export const inOrder = (a: Area, b: Area): number => a.y - b.y || a.x - b.x;

const within = (value: number, least: number, greatest: number): number => Math.min(greatest, Math.max(least, value));

const over = (settled: Area[], area: Area): Area | undefined =>
  settled.find(
    (one) =>
      one.x < area.x + area.width &&
      area.x < one.x + one.width &&
      one.y < area.y + area.height &&
      area.y < one.y + one.height,
  );
