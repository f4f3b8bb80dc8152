import type { Area } from '../../../../domain/dashboards/tiles.ts';
import { h, icon } from '../dom.ts';

/** Shows a tile in an area of the grid. */
export function setArea(element: HTMLElement | null, area: Area | null): void {
  if (!element || !area) return;
  const { x, y, width, height } = area;
  for (const [name, value] of Object.entries({ x: x + 1, y: y + 1, width, height }))
    element.style.setProperty(`--${name}`, String(value));
}

/** Gives tiles of the same heading names that tell them apart, for those who go from one to the next by their names. */
export function nameApart(tiles: HTMLElement[]): void {
  const counts = new Map<string, number>();
  for (const tile of tiles.filter(({ hidden }) => !hidden)) {
    const title = tile.querySelector('h2');
    const heading = title?.textContent;
    if (!title || !heading) continue;
    const count = (counts.get(heading) ?? 0) + 1;
    counts.set(heading, count);
    if (count === 1) tile.setAttribute('aria-labelledby', title.id);
    else {
      tile.removeAttribute('aria-labelledby');
      tile.setAttribute('aria-label', `${heading} (${count})`);
    }
  }
}

/** A button of the bar. */
export function button(text: string, onclick: () => void, more: object = {}): HTMLButtonElement {
  const pencil = 'M4 20l1-5L16 4l4 4L9 19z';
  return h('button', { type: 'button', onclick, ...more }, text === 'Edit' && icon(pencil), text);
}
