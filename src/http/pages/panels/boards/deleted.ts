import { h } from '../dom.ts';
import { type SavedTile, tileInput } from '../tile-input.ts';
import { ask, options } from './page.ts';

const key = 'parley:deleted';
const create =
  'mutation RestoreBoard($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { name } } }';

const who = 'query WhoDeletes { viewer { workspace { id name } user { id } } }';

type Who = { workspace: { id: string; name: string } | null; user: { id: string } | null };
type Deleted = {
  name: string;
  title: string;
  description: string;
  last: string | null;
  timeZone: string | null;
  tiles: SavedTile[];
};
type Kept = { input: Omit<Deleted, 'tiles'> & { tiles: object[] }; by: Who | null };

/** Who the page is signed in as, and in which workspace. */
export const signedIn = async (): Promise<Who | null> => (await ask<{ viewer: Who | null }>(who))?.viewer ?? null;

/**
 * Keeps what was saved of a board, and who deleted it, for the next page of this tab, which offers to create it again;
 * not if the browser keeps nothing.
 */
export function keepDeleted({ name, title, description, last, timeZone, tiles }: Deleted, by: Who | null): void {
  const kept: Kept = { input: { name, title, description, last, timeZone, tiles: tiles.map(tileInput) }, by };
  try {
    sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {}
}

/**
 * Says that a board was deleted on the page before, with a button that creates it again; null if none was. In another
 * workspace, or as somebody else, it says so instead, and keeps the board for who deleted it.
 */
export async function deletedNotice(): Promise<HTMLElement | null> {
  const stored = sessionStorage.getItem(key);
  if (!stored) return null;
  const { input, by } = JSON.parse(stored) as Kept;
  const state = h('span', { id: 'deleted', role: 'status' });
  const line = h('p', { class: 'board-deleted' }, state);
  /** Whether the page is signed in as who deleted the board. */
  const isOffered = async () => {
    const refusal = refusalOf(by, await signedIn());
    state.textContent = `“${input.title}” ${refusal ?? 'is deleted. Undo restores all but its links.'}`;
    return refusal === null;
  };
  if (!(await isOffered())) return line;
  sessionStorage.removeItem(key);
  const undo = h('button', { type: 'button', 'aria-describedby': state.id, onclick: () => void restore() }, 'Undo');
  const restore = async () => {
    undo.disabled = true;
    try {
      // The page's session may be another by now.
      if (!(await isOffered())) {
        undo.disabled = false;
        return;
      }
      await ask(create, { input });
      location.assign(`${options.root}dashboards/${input.name}`);
    } catch (error) {
      undo.disabled = false;
      state.textContent = (error as Error).message;
    }
  };
  line.append(' ', undo);
  return line;
}

function refusalOf(by: Who | null, now: Who | null): string | null {
  if (by?.workspace?.id !== now?.workspace?.id)
    return `was deleted in the workspace “${by?.workspace?.name ?? ''}”: sign in there to undo that.`;
  return by?.user?.id === now?.user?.id ? null : 'was deleted by somebody else, who alone can undo that here.';
}
