import { h } from '../dom.ts';
import type { SavedTile } from '../tile-input.ts';
import { keepDeleted, signedIn } from './deleted.ts';
import { field, formOf, formState, openDialog } from './dialog.ts';
import { ask, options } from './page.ts';

/** What is kept of a board besides its tiles. */
export type Settings = {
  title: string;
  /** The name in its address. */
  name: string;
  description: string;
  last: string | null;
  timeZone: string | null;
};
type Saved = Settings & { id: string; tiles: SavedTile[] };

export const spans: [string, string][] = [
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['4w', 'Last 4 weeks'],
  ['12w', 'Last 12 weeks'],
  ['26w', 'Last 26 weeks'],
  ['1y', 'Last year'],
];
const taken =
  'query BoardsOfName($name: String!) { dashboards(first: 1, filter: { names: [$name] }) { nodes { id } } }';
const copyHint =
  'Duplicate makes another board of what is edited and filled in here, and leads to it; this board stays as it was saved.';
const remove = 'mutation DeleteBoard($id: ID!) { deleteDashboard(input: { id: $id }) { deletedId } }';

type Acts = {
  /** Called before the page leads elsewhere. */
  leave: () => void;
  /** Makes another board of the tiles as they are edited, with these settings. */
  copy: (settings: Settings) => Promise<{ title: string; address: string }>;
  /** Says on the page what came of a copy whose dialog was closed meanwhile. */
  tell: (text: string) => void;
};

/**
 * Opens a dialog with the settings of a board. Resolves with what was set; null if it was closed. Its other
 * buttons act at once: one makes another board and leads to it, one deletes this one and leads to the others.
 */
export function chooseSettings(
  board: Saved,
  settings: Settings,
  { leave, copy, tell }: Acts,
): Promise<Settings | null> {
  const title = h('input', { id: 'board-title', maxlength: '200', required: true, value: settings.title });
  const name = h('input', {
    id: 'board-name',
    maxlength: '100',
    required: true,
    pattern: '[a-z][a-z0-9\\-]*',
    title: 'A letter, then a-z, 0-9 and -',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': 'board-name-hint',
    value: settings.name,
  });
  const address = field('Address', name);
  name.before(h('code', {}, new URL('.', location.href).pathname));
  address.append(
    h(
      'small',
      { id: 'board-name-hint' },
      'A letter, then a-z, 0-9 and -. Links to a former address lead here, as long as no other board takes it.',
    ),
  );
  const description = h('textarea', { id: 'board-description', maxlength: '2000', rows: '2' });
  description.value = settings.description;
  const last = h('select', { id: 'board-last' });
  const own: [string, string][] = settings.last ? [[settings.last, `Last ${settings.last}`]] : [];
  const known = spans.some(([span]) => span === settings.last) ? spans : [...own, ...spans];
  last.append(...[['', 'That of each operation'], ...known].map(([value, text]) => h('option', { value }, text)));
  last.value = settings.last ?? '';
  const zones = h('datalist', { id: 'board-zones' });
  zones.append(...['UTC', ...Intl.supportedValuesOf('timeZone')].map((value) => h('option', { value })));
  const timeZone = h('input', {
    id: 'board-zone',
    list: zones.id,
    maxlength: '100',
    autocomplete: 'off',
    placeholder: 'That of each operation',
    value: settings.timeZone ?? '',
  });
  const state = formState();
  const removal = h('button', { type: 'button' }, 'Delete the board');
  const copying = h(
    'button',
    { type: 'button', 'aria-describedby': 'board-copy-hint', onclick: () => void duplicate() },
    'Duplicate the board',
  );
  let isAsked = false;
  let isOpen = true;
  const say = (text: string) => {
    if (isOpen) state.textContent = text;
    else tell(text);
  };
  const lead = (to: string) => {
    leave();
    location.assign(to);
  };
  /** What is in the fields; null if it cannot be, which is said. */
  const read = (): Settings | null => {
    const zone = timeZone.value.trim();
    if (!title.value.trim()) say('The board needs a title.');
    else if (zone && !isZone(zone)) say(`“${zone}” is not a time zone: choose one such as Europe/Berlin.`);
    else
      return {
        title: title.value.trim(),
        name: name.value,
        description: description.value.trim(),
        last: last.value || null,
        timeZone: zone || null,
      };
    return null;
  };
  const attempt = async (button: HTMLButtonElement, act: () => Promise<void>) => {
    button.disabled = true;
    await act().catch((error: Error) => {
      button.disabled = false;
      say(error.message);
    });
  };
  const duplicate = async () => {
    const settings = read();
    if (!settings) return;
    await attempt(copying, async () => {
      const made = await copy(settings);
      if (isOpen) lead(made.address);
      else tell(`“${made.title}” is created.`);
    });
  };
  const deleteBoard = async () => {
    const by = await signedIn();
    await ask(remove, { id: board.id });
    keepDeleted(board, by);
    lead(`${options.root}dashboards`);
  };
  const chosen = openDialog<Settings>('board-settings', 'Settings of the board', (end) => {
    const onsubmit = async () => {
      const settings = read();
      if (!settings) return;
      if (await isTaken(settings.name, board.id)) {
        say(`Another board has the address “${settings.name}”.`);
        name.focus();
      } else end(settings);
    };
    removal.addEventListener('click', ({ detail }) => {
      // The second click of a double click confirms nothing.
      if (detail > 1) return;
      if (!isAsked) {
        isAsked = true;
        removal.textContent = 'Delete it for everyone';
        state.textContent =
          'This deletes the board with its alerts and its links. Saved operations stay. Undo, on the next page, restores all but the links.';
        return;
      }
      void attempt(removal, deleteBoard);
    });
    const hint = 'An alert pauses when its board gets another time range or zone, until it is resumed.';
    return [
      formOf(
        { submit: 'Set', onsubmit, end },
        [
          field('Title', title),
          address,
          field('Description', description),
          field('Time range', last),
          field('Time zone', timeZone),
          zones,
          board.tiles.some(({ alert }) => alert) && h('p', { class: 'panel-hint' }, hint),
          h('p', { id: 'board-copy-hint', class: 'panel-hint' }, copyHint),
          state,
        ],
        copying,
        removal,
      ),
    ];
  });
  return chosen.finally(() => {
    isOpen = false;
  });
}

/** Whether another board has a name. If that cannot be asked now, saving the board reports it. */
async function isTaken(name: string, id: string): Promise<boolean> {
  type Answer = { dashboards: { nodes: { id: string }[] } };
  const answer = await ask<Answer>(taken, { name }).catch(() => null);
  return answer?.dashboards.nodes.some((one) => one.id !== id) === true;
}

function isZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
