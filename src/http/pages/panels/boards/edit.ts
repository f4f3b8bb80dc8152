import type { AlertRule } from '../../../../domain/dashboards/alerts.ts';
import type { Area } from '../../../../domain/dashboards/tiles.ts';
import { h, icon } from '../dom.ts';
import { tileInput } from '../tile-input.ts';
import { chooseAlert } from './alert-form.ts';
import { inOrder, placed } from './layout.ts';
import { ask } from './page.ts';
import { type ShownTile, type Tile, headingOf as titleOf } from './tile.ts';
import { chooseContent, type TileContent } from './tile-form.ts';

type Edited = { id: string; updatedAt: string; tiles: Tile[] };
/** A tile as it is edited, by its place in the board. */
type Draft = { at: number; area: Area; content: TileContent; alert: AlertRule | null; resume: boolean };
type Way = 'move' | 'resize';

const update =
  'mutation EditBoard($input: UpdateDashboardInput!) { updateDashboard(input: $input) { dashboard { id } } }';
const steps: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Edits the tiles of a board, by pointer and by keyboard. Nothing is saved before Save. */
export function createEditor(board: Edited, grid: HTMLElement) {
  let shown: ShownTile[] = [];
  /** What there was before each change, with what there is now as the last; empty while nobody edits. */
  let states: Draft[][] = [];
  /** What a tile shows, if that is not what is saved. */
  const contents = new WeakMap<ShownTile, TileContent>();
  const now = () => states.at(-1) ?? [];
  const state = h('span', { role: 'status', class: 'edit-state' });
  const begin = button('Edit', start);
  const undo = button('Undo', () => {
    states.pop();
    show();
    tell('Undone.');
    if (undo.disabled) cancel.focus();
  });
  const save = button('Save', () => void store().catch((error: Error) => tell(error.message)));
  const cancel = button('Cancel', () => {
    states = [];
    show();
    begin.focus();
  });
  save.className = 'main';
  const bar = h(
    'div',
    { class: 'edit-bar', role: 'group', 'aria-label': 'Edit the board' },
    begin,
    save,
    undo,
    cancel,
    state,
  );
  grid.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || undo.disabled) return;
    event.preventDefault();
    undo.click();
  });
  addEventListener('beforeunload', (event) => {
    if (states.length > 1) event.preventDefault();
  });
  show();

  /** The tiles that the page shows now: it creates them anew for another time range. */
  const attach = (tiles: ShownTile[]) => {
    shown = tiles;
    show();
  };
  return { bar, attach };

  function start(): void {
    states = [
      board.tiles.map((tile, at) => {
        const { x, y, width, height, alert } = tile;
        return { at, area: { x, y, width, height }, content: tile, alert, resume: false };
      }),
    ];
    show();
    const isNarrow = matchMedia('(max-width: 50rem)').matches;
    tell(
      isNarrow
        ? 'Tiles are moved and resized on a wider screen.'
        : 'Drag tiles by Move and Resize, or choose one of these and press the arrow keys. Save in GraphiQL adds tiles.',
    );
    save.focus();
  }

  function show(): void {
    const isEdited = states.length > 0;
    begin.hidden = isEdited;
    for (const element of [save, undo, cancel]) element.hidden = !isEdited;
    undo.disabled = states.length < 2;
    if (!isEdited) tell('');
    grid.classList.toggle('editing', isEdited);
    for (const [at, tile] of shown.entries()) {
      const { element } = tile;
      const draft = now().find((one) => one.at === at);
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
      placeAt(element, draft?.area ?? board.tiles[at] ?? null);
      if (!isEdited) tools?.remove();
      else if (!tools) element.prepend(toolsOf(at));
    }
  }

  function change(next: Draft[]): void {
    states.push(next);
    show();
  }

  function headingOf(at: number): string {
    const tile = board.tiles[at];
    const content = now().find((one) => one.at === at)?.content;
    return (tile && titleOf({ ...tile, title: content?.title ?? tile.title })) || `tile ${at + 1}`;
  }

  function toolsOf(at: number): HTMLElement {
    const heading = headingOf(at);
    const tool = (label: string, text: string, more: object) =>
      h('button', { type: 'button', 'aria-label': `${label} ${heading}`, ...more }, text);
    return h(
      'div',
      { class: 'tile-tools', role: 'group', 'aria-label': `Edit ${heading}` },
      tool('Move', 'Move', { class: 'handle', ...handling(at, 'move') }),
      tool('Resize', 'Resize', { class: 'handle', ...handling(at, 'resize') }),
      tool('Edit the content of', 'Content', { 'aria-haspopup': 'dialog', onclick: () => void editContent(at) }),
      board.tiles[at]?.operationName &&
        tool('Edit the alert of', 'Alert', { 'aria-haspopup': 'dialog', onclick: () => void editAlert(at) }),
      tool('Remove', 'Remove', {
        onclick: () => {
          change(now().filter((one) => one.at !== at));
          tell(`${heading} is removed. Undo brings it back.`);
          undo.focus();
        },
      }),
    );
  }

  /** The areas that follow when a tile goes some columns and rows further, or grows by them. */
  function changed(from: Draft[], at: number, way: Way, [x, y]: [number, number]): Draft[] {
    const own = from.findIndex((one) => one.at === at);
    const area = from[own]?.area;
    if (!area) return from;
    const wanted =
      way === 'move'
        ? { ...area, x: area.x + x, y: area.y + y }
        : { ...area, width: Math.min(12 - area.x, area.width + x), height: area.height + y };
    const areas = placed(
      from.map((one) => one.area),
      own,
      wanted,
    );
    return from.map((one, index) => ({ ...one, area: areas[index] ?? one.area }));
  }

  function handling(at: number, way: Way) {
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
        for (const one of drag.next) placeAt(shown[one.at]?.element ?? null, one.area);
      },
      onpointerup: () => end(true),
      onpointercancel: () => end(false),
    };
  }

  async function editContent(at: number): Promise<void> {
    const content = now().find((one) => one.at === at)?.content;
    const tables = shown[at]?.tables() ?? null;
    const chosen = content && (await chooseContent({ heading: headingOf(at), content, tables }));
    if (!chosen) return;
    change(now().map((one) => (one.at === at ? { ...one, content: chosen } : one)));
    shown[at]?.element.querySelector<HTMLElement>('.tile-tools [aria-haspopup]')?.focus();
    tell(`${headingOf(at)} is kept when the board is saved.`);
  }

  async function editAlert(at: number): Promise<void> {
    const draft = now().find((one) => one.at === at);
    const isPaused = Boolean(board.tiles[at]?.alert?.pausedReason);
    const chosen = draft && (await chooseAlert(headingOf(at), draft.alert, isPaused));
    if (!chosen) return;
    change(now().map((one) => (one.at === at ? { ...one, ...chosen } : one)));
    tell(chosen.alert ? 'The alert is set when the board is saved.' : 'The alert is removed when the board is saved.');
  }

  async function store(): Promise<void> {
    const tiles = now()
      .toSorted((a, b) => inOrder(a.area, b.area))
      .flatMap(({ at, area, content: { title, text, chart }, alert, resume }) => {
        const tile = board.tiles[at];
        if (!tile) return [];
        const input = tileInput({ ...tile, ...area, title, text, chart, alert });
        return [{ ...input, alert: input.alert && { ...input.alert, ...(resume && { resume }) } }];
      });
    save.disabled = true;
    try {
      await ask(update, { input: { id: board.id, expectedUpdatedAt: board.updatedAt, tiles } });
    } finally {
      save.disabled = false;
    }
    states = [];
    location.reload();
  }

  function say(at: number): void {
    const area = now().find((one) => one.at === at)?.area;
    if (!area) return;
    const size = `${area.width} columns wide, ${area.height} rows high`;
    tell(`${headingOf(at)}: column ${area.x + 1}, row ${area.y + 1}, ${size}.`);
  }

  function tell(text: string): void {
    state.textContent = text;
  }
}

function placeAt(element: HTMLElement | null, area: Area | null): void {
  if (!element || !area) return;
  const { x, y, width, height } = area;
  for (const [name, value] of Object.entries({ x: x + 1, y: y + 1, width, height }))
    element.style.setProperty(`--${name}`, String(value));
}

function button(text: string, onclick: () => void): HTMLButtonElement {
  const pencil = 'M4 20l1-5L16 4l4 4L9 19z';
  return h('button', { type: 'button', onclick }, text === 'Edit' && icon(pencil), text);
}
