import type { Area } from '../../../../domain/dashboards/tiles.ts';
import { arrangedTiles } from './layout.ts';

type Way = 'move' | 'resize';
type Placed = { at: number; area: Area };
type Around<Draft> = {
  grid: HTMLElement;
  now: () => Draft[];
  /** Keeps a change. */
  change: (next: Draft[]) => void;
  /** Shows tiles where they would be. */
  preview: (next: Draft[]) => void;
  /** Ends a drag without a change. */
  show: () => void;
  say: (at: number) => void;
};

const steps: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * The listeners of the button that moves or resizes a tile, by its position on the board: by drag and by the
 * arrow keys.
 */
export function moveListeners<Draft extends Placed>(
  at: number,
  way: Way,
  { grid, now, change, preview, show, say }: Around<Draft>,
) {
  let drag: { x: number; y: number; from: Draft[]; next: Draft[] } | null = null;
  const end = (isKept: boolean) => {
    if (drag && isKept && JSON.stringify(drag.next) !== JSON.stringify(drag.from)) change(drag.next);
    else show();
    drag = null;
    say(at);
  };
  return {
    onkeydown: (event: KeyboardEvent) => {
      const step = steps[event.key];
      if (event.key === 'Escape' && drag) end(false);
      if (!step) return;
      event.preventDefault();
      const next = changed(now(), at, way, step);
      if (JSON.stringify(next) !== JSON.stringify(now())) change(next);
      say(at);
    },
    onpointerdown: (event: PointerEvent) => {
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      drag = { x: event.clientX, y: event.clientY, from: now(), next: now() };
    },
    onpointermove: (event: PointerEvent) => {
      if (!drag) return;
      const { columnGap, rowGap, gridAutoRows } = getComputedStyle(grid);
      const column = (grid.clientWidth + Number.parseFloat(columnGap)) / 12;
      const row = Number.parseFloat(gridAutoRows) + Number.parseFloat(rowGap);
      const by: [number, number] = [
        Math.round((event.clientX - drag.x) / column),
        Math.round((event.clientY - drag.y) / row),
      ];
      drag.next = changed(drag.from, at, way, by);
      preview(drag.next);
    },
    onpointerup: () => end(true),
    onpointercancel: () => end(false),
  };
}

/** The areas that follow when a tile goes some columns and rows further, or grows by them. */
function changed<Draft extends Placed>(from: Draft[], at: number, way: Way, [x, y]: [number, number]): Draft[] {
  const own = from.findIndex((one) => one.at === at);
  const area = from[own]?.area;
  if (!area) return from;
  const wanted =
    way === 'move'
      ? { ...area, x: area.x + x, y: area.y + y }
      : { ...area, width: Math.min(12 - area.x, area.width + x), height: area.height + y };
  const areas = arrangedTiles(
    from.map((one) => one.area),
    own,
    wanted,
  );
  return from.map((one, index) => ({ ...one, area: areas[index] ?? one.area }));
}
