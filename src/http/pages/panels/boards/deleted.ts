import { h } from '../dom.ts';
import { type SavedTile, tileInput } from '../tile-input.ts';
import { ask, options } from './page.ts';

const key = 'parley:deleted-board';
const create =
  'mutation RestoreBoard($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { name } } }';

type Deleted = {
  name: string;
  title: string;
  description: string;
  last: string | null;
  timeZone: string | null;
  tiles: SavedTile[];
};

/**
 * Keeps what was saved of a board until the next page of this tab, which offers to create it again; not if the browser
 * keeps nothing.
 */
export function keepDeleted({ name, title, description, last, timeZone, tiles }: Deleted): void {
  const input = { name, title, description, last, timeZone, tiles: tiles.map(tileInput) };
  try {
    sessionStorage.setItem(key, JSON.stringify(input));
  } catch {}
}

/** Says that a board was deleted on the page before, with a button that creates it again; null if none was. */
export function deletedNotice(): HTMLElement | null {
  const kept = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (!kept) return null;
  const input = JSON.parse(kept) as Deleted;
  const state = h(
    'span',
    { id: 'deleted', role: 'status' },
    `“${input.title}” is deleted. Undo restores all but its links.`,
  );
  const undo = h('button', { type: 'button', 'aria-describedby': state.id, onclick: () => void restore() }, 'Undo');
  const restore = async () => {
    undo.disabled = true;
    try {
      await ask(create, { input });
      location.assign(`${options.root}dashboards/${input.name}`);
    } catch (error) {
      undo.disabled = false;
      state.textContent = (error as Error).message;
    }
  };
  return h('p', { class: 'board-deleted' }, state, ' ', undo);
}
