import { wholeCharacters } from '../../../../text/shorten.ts';
import { h } from '../dom.ts';
import { chooseTile, type Run, readQueries } from './add-form.ts';
import { chooseAlert, numbersIn } from './alert-form.ts';
import { createBoard } from './create.ts';
import { below, type Draft, duplicateTile, inputsOf } from './drafts.ts';
import { button, nameApart, setArea } from './elements.ts';
import { moveListeners } from './handles.ts';
import { ask } from './page.ts';
import { chooseSettings, type Settings } from './settings-form.ts';
import { type ShownTile, type Tile, headingOf as titleOf } from './tile.ts';
import { chooseContent, type TileContent } from './tile-form.ts';

type Edited = Settings & { id: string; updatedAt: string; tiles: Tile[] };
type State = { drafts: Draft[]; settings: Settings };
type Around = {
  grid: HTMLElement;
  /** The element of a tile that the board does not have yet, with its result to come. */
  create: (tile: Tile, at: number) => ShownTile;
  run: Run;
  showSettings: (settings: Settings) => void;
  /** Shows the board as it is saved now, under a name. */
  showAgain: (name: string) => Promise<void>;
  /** Ends what the editor listens to besides its elements. */
  signal: AbortSignal;
};

const update =
  'mutation EditBoard($input: UpdateDashboardInput!) { updateDashboard(input: $input) { dashboard { id } } }';

/** Edits a board, by pointer and by keyboard. Nothing is saved before Save. */
export function createEditor(board: Edited, { grid, create, run, showSettings, showAgain, signal }: Around) {
  const { title, name, description, last, timeZone } = board;
  const saved: Settings = { title, name, description, last, timeZone };
  const kept = { ...board, tiles: [...board.tiles] };
  let shown: ShownTile[] = [];
  /** What there was before each change, with what there is now as the last; empty while the board is not edited. */
  let states: State[] = [];
  /** What a tile shows, if that is not what is saved. */
  const contents = new WeakMap<ShownTile, TileContent>();
  const drafts = () => states.at(-1)?.drafts ?? [];
  const settings = () => states.at(-1)?.settings ?? saved;
  const state = h('span', { role: 'status', class: 'edit-state' });
  const begin = button('Edit', start);
  const undo = button('Undo', () => {
    states.pop();
    show();
    tell('Undone.');
    if (undo.disabled) cancel.focus();
  });
  const add = button('Add a tile', () => attempt(addTile), { 'aria-haspopup': 'dialog' });
  const set = button('Settings', () => attempt(editSettings), { 'aria-haspopup': 'dialog' });
  const save = button('Save', () => attempt(store));
  const cancel = button('Cancel', () => {
    states = [];
    for (const { element } of shown.splice(kept.tiles.length)) element.remove();
    board.tiles.splice(kept.tiles.length);
    show();
    begin.focus();
  });
  save.className = 'main';
  const editing = [add, set, save, undo, cancel];
  const bar = h('div', { class: 'edit-bar', role: 'group', 'aria-label': 'Edit the board' }, begin, ...editing, state);
  grid.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || undo.disabled) return;
    event.preventDefault();
    undo.click();
  });
  const keep = (event: Event) => {
    if (states.length > 1) event.preventDefault();
  };
  addEventListener('beforeunload', keep, { signal });
  show();

  /** The tiles that the page shows now: it creates them anew for another time range. */
  const attach = (tiles: ShownTile[]) => {
    shown = tiles;
    show();
  };
  const tellSaved = () => {
    begin.focus();
    tell('The board is saved.');
  };
  return { bar, attach, start, tellSaved };

  function start(): void {
    const tiles = board.tiles.map((tile, at) => {
      const { x, y, width, height, alert } = tile;
      return { at, area: { x, y, width, height }, content: tile, alert, resume: false };
    });
    states = [{ drafts: tiles, settings: saved }];
    show();
    const isNarrow = matchMedia('(max-width: 50rem)').matches;
    tell(
      tiles.length === 0
        ? 'Add a tile: a text, or a query that was saved in GraphiQL.'
        : isNarrow
          ? 'Tiles are moved and resized on a wider screen.'
          : 'Drag tiles by Move and Resize, or choose one of these and press the arrow keys.',
    );
    (tiles.length === 0 ? add : save).focus();
  }

  function attempt(act: () => Promise<void>): void {
    act().catch((error: Error) => tell(error.message));
  }

  function show(): void {
    const isEdited = states.length > 0;
    begin.hidden = isEdited;
    for (const element of editing) element.hidden = !isEdited;
    undo.disabled = states.length < 2;
    if (!isEdited) tell('');
    grid.classList.toggle('editing', isEdited);
    showSettings(settings());
    for (const [at, tile] of shown.entries()) {
      const { element } = tile;
      const draft = drafts().find((one) => one.at === at);
      const content = draft?.content ?? board.tiles[at];
      let tools = element.querySelector<HTMLElement>('.tile-tools');
      if (content && content !== (contents.get(tile) ?? board.tiles[at])) {
        contents.set(tile, content);
        tile.showContent(content);
        // They have the heading in their names.
        tools?.remove();
        tools = null;
      }
      element.hidden = isEdited && !draft;
      setArea(element, draft?.area ?? board.tiles[at] ?? null);
      if (!isEdited) tools?.remove();
      else if (!tools) element.prepend(toolsOf(at));
    }
    nameApart(shown.map(({ element }) => element));
  }

  function change(next: Partial<State>): void {
    states.push({ drafts: drafts(), settings: settings(), ...next });
    show();
  }

  function headingOf(at: number): string {
    const tile = board.tiles[at];
    const content = drafts().find((one) => one.at === at)?.content;
    return (tile && titleOf({ ...tile, title: content?.title ?? tile.title })) || `tile ${at + 1}`;
  }

  function toolsOf(at: number): HTMLElement {
    const heading = headingOf(at);
    const tool = (label: string, text: string, more: object) =>
      h('button', { type: 'button', 'aria-label': `${label} ${heading}`, ...more }, text);
    const around = {
      grid,
      now: drafts,
      change: (next: Draft[]) => change({ drafts: next }),
      preview: (next: Draft[]) => {
        for (const one of next) setArea(shown[one.at]?.element ?? null, one.area);
      },
      show,
      say,
    };
    return h(
      'div',
      { class: 'tile-tools', role: 'group', 'aria-label': `Edit ${heading}` },
      tool('Move', 'Move', { class: 'handle', ...moveListeners(at, 'move', around) }),
      tool('Resize', 'Resize', { class: 'handle', ...moveListeners(at, 'resize', around) }),
      tool('Edit the content of', 'Content', { 'aria-haspopup': 'dialog', onclick: () => void editContent(at) }),
      board.tiles[at]?.operationName &&
        tool('Edit the alert of', 'Alert', { 'aria-haspopup': 'dialog', onclick: () => void editAlert(at) }),
      tool('Duplicate', 'Duplicate', { onclick: () => duplicate(at) }),
      tool('Remove', 'Remove', {
        onclick: () => {
          change({ drafts: drafts().filter((one) => one.at !== at) });
          tell(`“${heading}” is removed. Undo brings it back.`);
          undo.focus();
        },
      }),
    );
  }

  function changeTile(at: number, part: Partial<Draft>): void {
    change({ drafts: drafts().map((one) => (one.at === at ? { ...one, ...part } : one)) });
  }

  async function editContent(at: number): Promise<void> {
    const content = drafts().find((one) => one.at === at)?.content;
    const tile = board.tiles[at];
    if (!content || !tile) return;
    const chosen = await chooseContent({
      heading: headingOf(at),
      content,
      tables: shown[at]?.tables() ?? null,
      operation: tile.operation && tile.operationName,
      ofBoard: settings(),
      run: (variables) => run(tile, variables),
    });
    if (!chosen) return;
    changeTile(at, { content: chosen });
    focusOn(at);
    tell(`“${headingOf(at)}” is kept when the board is saved.`);
  }

  async function editAlert(at: number): Promise<void> {
    const draft = drafts().find((one) => one.at === at);
    const isPaused = Boolean(board.tiles[at]?.alert?.pausedReason);
    const { alert, content } = draft ?? {};
    const numbers = numbersIn(shown[at]?.tables() ?? [], content?.chart ?? null);
    const chosen = draft && (await chooseAlert({ heading: headingOf(at), alert: alert ?? null, isPaused, numbers }));
    if (!chosen) return;
    changeTile(at, chosen);
    tell(chosen.alert ? 'The alert is set when the board is saved.' : 'The alert is removed when the board is saved.');
  }

  async function addTile(): Promise<void> {
    const [first] = states;
    add.disabled = true;
    const queries = await readQueries().finally(() => {
      add.disabled = grid.inert;
    });
    // Whoever left or saved meanwhile adds nothing.
    if (grid.inert || states[0] !== first) return;
    const tile = await chooseTile(queries, { y: below(drafts()), ofBoard: settings(), run });
    if (tile) append(tile);
  }

  function duplicate(at: number): void {
    const tile = board.tiles[at];
    const draft = drafts().find((one) => one.at === at);
    if (tile && draft) append(duplicateTile(tile, draft, drafts()));
  }

  function append(tile: Tile): void {
    const at = board.tiles.push(tile) - 1;
    const made = create(tile, at);
    shown.push(made);
    grid.append(made.element);
    const { x, y, width, height } = tile;
    change({ drafts: [...drafts(), { at, area: { x, y, width, height }, content: tile, alert: null, resume: false }] });
    focusOn(at);
    tell(`“${headingOf(at)}” is added below when the board is saved.`);
  }

  async function editSettings(): Promise<void> {
    const leave = () => {
      states = [];
    };
    const copy = async ({ title, name: _name, ...others }: Settings) => {
      const tiles = inputsOf(drafts(), board.tiles).map((tile) => ({ ...tile, alert: null }));
      const ofCopy = wholeCharacters(`Copy of ${title}`, 200);
      return { title: ofCopy, address: await createBoard(ofCopy, { ...others, tiles }) };
    };
    const chosen = await chooseSettings(kept, settings(), { leave, copy, tell });
    if (!chosen) return;
    change({ settings: chosen });
    tell('The settings are kept when the board is saved.');
  }

  async function store(): Promise<void> {
    // A tile that can no longer be drawn would be refused: it does not keep a board from another title.
    const areSame = JSON.stringify(drafts()) === JSON.stringify(states[0]?.drafts);
    const input = {
      id: board.id,
      expectedUpdatedAt: board.updatedAt,
      ...settings(),
      ...(!areSame && { tiles: inputsOf(drafts(), board.tiles) }),
    };
    setSaving(true);
    await ask(update, { input }).catch((error) => {
      setSaving(false);
      throw error;
    });
    states = [];
    await showAgain(input.name);
  }

  /** What is being saved is not changed meanwhile, nor before the board as it is then takes its place. */
  function setSaving(isSaving: boolean): void {
    grid.inert = isSaving;
    for (const element of editing) element.disabled = isSaving;
    if (isSaving) return;
    save.focus();
    show();
  }

  function focusOn(at: number): void {
    shown[at]?.element.querySelector<HTMLElement>('.tile-tools [aria-haspopup]')?.focus();
  }

  function say(at: number): void {
    const area = drafts().find((one) => one.at === at)?.area;
    if (!area) return;
    const size = `${area.width} columns wide, ${area.height} rows high`;
    tell(`${headingOf(at)}: column ${area.x + 1}, row ${area.y + 1}, ${size}.`);
  }

  function tell(text: string): void {
    state.textContent = text;
  }
}
