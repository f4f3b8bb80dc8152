import { expect, test } from 'vitest';
import { type Area, readTiles, tilesInput } from '../../src/domain/dashboards/tiles.ts';
import { arrangedTiles } from '../../src/http/pages/panels/boards/layout.ts';
import { randomOf } from '../support/random/random.ts';
import { seed } from '../support/random/seed.ts';

const textOf = (area: Area) => ({ text: 'A tile', ...area });
/** Throws if the gateway would not save them: tiles that overlap, or leave the grid. */
const check = (areas: Area[]) => readTiles(tilesInput.parse(areas.map(textOf)));

test('a tile goes where it is dragged, and no two overlap, however often', () => {
  const random = randomOf(seed);
  const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  let areas: Area[] = check(
    Array.from({ length: 9 }, (_, at) => ({ x: (at % 3) * 4, y: Math.floor(at / 3) * 4, width: 4, height: 4 })),
  );
  for (let step = 0; step < 500; step += 1) {
    const at = whole(0, areas.length - 1);
    const wanted = { x: whole(-3, 14), y: whole(-3, 30), width: whole(-1, 14), height: whole(-1, 10) };
    const next = arrangedTiles(areas, at, wanted);
    check(next);
    const own = next[at] as Area;
    expect(own.y).toBe(Math.max(0, wanted.y));
    expect(own.width).toBe(Math.min(12, Math.max(1, wanted.width)));
    // Others only move down.
    for (const [other, { y, ...rest }] of next.entries())
      if (other !== at) {
        const { y: before, ...same } = areas[other] as Area;
        expect(rest).toMatchObject({ x: same.x, width: same.width, height: same.height });
        expect(y).toBeGreaterThanOrEqual(before);
      }
    areas = next.map(({ y, ...rest }) => ({ ...rest, y: y > 60 ? y % 60 : y }));
    areas = areas.reduce<Area[]>((all, area) => arrangedTiles([...all, area], all.length, { ...area, y: area.y }), []);
  }
});

test('what has no room below stays', () => {
  const areas = [
    { x: 0, y: 0, width: 12, height: 4 },
    { x: 0, y: 190, width: 12, height: 24 },
  ];
  expect(arrangedTiles(areas, 0, { x: 0, y: 190, width: 12, height: 24 })).toEqual(areas);
});
