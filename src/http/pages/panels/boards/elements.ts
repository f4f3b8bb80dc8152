import type { Area } from '../../../../domain/dashboards/tiles.ts';
import { h, icon } from '../dom.ts';

/** Shows a tile in an area of the grid. */
export function placeAt(element: HTMLElement | null, area: Area | null): void {
  if (!element || !area) return;
  const { x, y, width, height } = area;
  for (const [name, value] of Object.entries({ x: x + 1, y: y + 1, width, height }))
    element.style.setProperty(`--${name}`, String(value));
}

/** A button of the bar. */
export function button(text: string, onclick: () => void, more: object = {}): HTMLButtonElement {
  const pencil = 'M4 20l1-5L16 4l4 4L9 19z';
  return h('button', { type: 'button', onclick, ...more }, text === 'Edit' && icon(pencil), text);
}
