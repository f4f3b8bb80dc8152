import type { AlertRule } from '../../../../domain/dashboards/alerts.ts';
import type { Area } from '../../../../domain/dashboards/tiles.ts';
import { wholeCharacters } from '../../../../text/shorten.ts';
import { tileInput } from '../tile-input.ts';
import { inOrder } from './layout.ts';
import { headingOf, type Tile } from './tile.ts';
import type { TileContent } from './tile-form.ts';

/** A tile as it is edited, by its position on the board. */
export type Draft = { at: number; area: Area; content: TileContent; alert: AlertRule | null; resume: boolean };

/** The drafts of the tiles of a board as they are saved, in the order in which they are read. */
export const inputsOf = (drafts: Draft[], tiles: Tile[]) =>
  drafts
    .toSorted((a, b) => inOrder(a.area, b.area))
    .flatMap(({ at, area, content: { title, text, chart, variables }, alert, resume }) => {
      const tile = tiles[at];
      if (!tile) return [];
      const input = tileInput({ ...tile, ...area, title, text, chart, variables, alert });
      return [{ ...input, alert: input.alert && { ...input.alert, ...(resume && { resume }) } }];
    });

/** The first row below all tiles. */
export const below = (drafts: Draft[]): number => Math.max(0, ...drafts.map(({ area: { y, height } }) => y + height));

/** Another tile of what a draft shows, below all, without its alert: two of one condition would be one. */
export function duplicateTile(tile: Tile, { area: { width, height }, content }: Draft, drafts: Draft[]): Tile {
  const { text, chart, variables } = content;
  const heading = headingOf({ ...tile, title: content.title });
  const title = heading && `${wholeCharacters(heading, 193)} (copy)`;
  return { ...tile, title, text, chart, variables, alert: null, x: 0, y: below(drafts), width, height };
}
