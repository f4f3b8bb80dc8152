import type { Place } from '../tile-input.ts';

const columns = 12;
const most = { rows: 200, height: 24 };

/**
 * The places of all tiles when one goes to another place or gets another size: others in its way move down, those below
 * them too, and none else. The same places, if there is no room below.
 */
export function placed(places: readonly Place[], at: number, wanted: Place): Place[] {
  const width = within(wanted.width, 1, columns);
  const height = within(wanted.height, 1, most.height);
  const own = { x: within(wanted.x, 0, columns - width), y: within(wanted.y, 0, most.rows - 1), width, height };
  const settled = [own];
  const found = [...places];
  found[at] = own;
  const others = [...places.entries()].filter(([place]) => place !== at).toSorted(([, a], [, b]) => inOrder(a, b));
  for (const [place, given] of others) {
    const next = { ...given };
    for (let other = over(settled, next); other; other = over(settled, next)) next.y = other.y + other.height;
    settled.push(next);
    found[place] = next;
  }
  return found.every(({ y }) => y < most.rows) ? found : [...places];
}

/** The order in which tiles are read. */
export const inOrder = (a: Place, b: Place): number => a.y - b.y || a.x - b.x;

const within = (value: number, least: number, greatest: number): number => Math.min(greatest, Math.max(least, value));

const over = (settled: Place[], place: Place): Place | undefined =>
  settled.find(
    (one) =>
      one.x < place.x + place.width &&
      place.x < one.x + one.width &&
      one.y < place.y + place.height &&
      place.y < one.y + one.height,
  );
