import { choice, h, icon } from '../dom.ts';
import { tileFields } from '../tile-input.ts';
import { operationFields, type Run } from './add-form.ts';
import { createEditor } from './edit.ts';
import { nameApart } from './elements.ts';
import { cursorBefore, type Group, type GroupRows } from './group.ts';
import { ask, beginEdit, isByLink, options, type Result, request, runSaved } from './page.ts';
import { type Settings, spans } from './settings-form.ts';
import { shareButton } from './share.ts';
import { follow } from './stream.ts';
import { type AlertState, type ShownTile, type Tile, tileElement } from './tile.ts';
import type { Variables } from './variable-fields.ts';

type Board = Settings & { id: string; updatedAt: string; tiles: Tile[] };

const stateFields = 'id state since pausedReason waitingReason';
const fields = `id name title description last timeZone updatedAt
  tiles {
    ${tileFields(stateFields)}
    operation { ${operationFields} }
  }`;
const query = `query Board($names: [String!], $ids: [ID!]) {
  viewer { permissions }
  dashboards(first: 1, filter: { or: [{ names: $names }, { ids: $ids }] }) { nodes { ${fields} } }
}`;
const alertsQuery = `query BoardAlerts($id: ID!) { dashboard(id: $id) { tiles { alert { ${stateFields} } } } }`;
const alertMs = 60_000;

/**
 * Shows the board with an ID or a name, which may be a former one, and follows its results. `isSaved`: whether that is
 * because it was saved on this page.
 */
export async function showBoard(main: HTMLElement, asked: string, { isSaved = false } = {}): Promise<void> {
  document.body.classList.toggle('by-link', isByLink);
  const found = await (isByLink ? boardOfLink(asked) : boardOfWorkspace(asked));
  if (!found) return;
  const { board, permissions } = found;
  moveTo(board);
  const shown = new AbortController();
  const { signal } = shown;
  document.title = `${board.title} · Parley`;
  const state = h('span', { role: 'status', id: 'state' });
  const grid = h('div', { id: 'grid' });
  const page = { last: given('last') ?? board.last, timeZone: given('timeZone') ?? board.timeZone };
  const saved = board.tiles.length;
  let tiles: ShownTile[] = [];
  const heading = h('h1', {});
  const description = h('p', { class: 'board-text' });
  const showSettings = (settings: Pick<Settings, 'title' | 'description'>) => {
    heading.textContent = settings.title;
    description.textContent = settings.description;
    description.hidden = settings.description === '';
  };
  showSettings(board);
  /** The results for the time range and zone that the page shows, by their variables. */
  let results = new WeakMap<Variables, Promise<Result>>();
  const run: Run = (tile, variables) => {
    const result = results.get(variables) ?? resultOf(tile, variables, page);
    results.set(variables, result);
    return result;
  };
  const create = (tile: Tile, at: number): ShownTile =>
    tileElement(tile, at, {
      href: (variables) => addressOf({ ...tile, variables }, page),
      timeZone: page.timeZone ?? 'UTC',
      openRows: async (groups, group, variables) =>
        location.assign(await rowsAddress(groups, group, { ...tile, variables }, page)),
      // The stream has the results of those that are saved.
      isFollowed: at < saved,
      run: (variables) => run(tile, variables),
    });
  const canEdit = permissions.includes('operations.write');
  const editor = canEdit ? createEditor(board, { grid, create, run, showSettings, showAgain, signal }) : null;
  let stop = () => {};
  let looking: number | undefined;

  const end = () => {
    shown.abort();
    stop();
    clearInterval(looking);
  };
  /** Without what can be read now, all of the page is asked for again. */
  async function showAgain(name: string): Promise<void> {
    end();
    moveTo({ id: board.id, name });
    await showBoard(main, board.id, { isSaved: true }).catch(() => location.reload());
  }
  const start = () => {
    // The board as it is saved takes its place.
    if (signal.aborted) return;
    stop();
    results = new WeakMap();
    tiles = board.tiles.map(create);
    grid.replaceChildren(...tiles.map(({ element }) => element));
    nameApart(tiles.map(({ element }) => element));
    editor?.attach(tiles);
    const parameters = new URLSearchParams(Object.entries(page).filter((pair): pair is [string, string] => !!pair[1]));
    if (!board.tiles.some(({ operationName }) => operationName)) return;
    // By its ID: another board may take its name while the page is open.
    stop = follow(`run/boards/${encodeURIComponent(board.id)}?${parameters}`, {
      result: (result) => tiles[result.tile]?.show(result),
      state: (text) => {
        if (state.textContent !== text) state.textContent = text;
      },
      ended: () => {
        clearInterval(looking);
        main.replaceChildren(h('h1', {}, board.title), h('p', { role: 'alert' }, ended));
      },
    });
  };
  const change = (what: 'last' | 'timeZone', value: string) => {
    page[what] = value || board[what];
    const address = new URL(location.href);
    if (value) address.searchParams.set(what, value);
    else address.searchParams.delete(what);
    history.replaceState(history.state, '', address);
    start();
  };
  main.replaceChildren(
    h(
      'div',
      { class: 'board-head' },
      heading,
      state,
      choice('Time range', spanChoices(board.last), given('last') ?? '', (last) => change('last', last)),
      choice('Time zone', zoneChoices(board.timeZone), given('timeZone') ?? '', (zone) => change('timeZone', zone)),
      editor?.bar,
      permissions.includes('keys.write') && shareButton(board),
      document.fullscreenEnabled && fullScreenButton(signal),
    ),
    description,
    h(
      'p',
      { class: 'panel-hint board-empty' },
      'This board is empty.',
      canEdit && h('span', { class: 'how' }, ' Edit adds tiles.'),
    ),
    grid,
  );
  start();
  if (editor && location.hash === beginEdit) {
    history.replaceState(history.state, '', location.href.slice(0, -beginEdit.length));
    editor.start();
  }
  if (isSaved) editor?.tellSaved();
  const redraw = () => {
    for (const tile of tiles) tile.redraw();
  };
  if (board.tiles.some(({ alert }) => alert)) {
    const look = async () => {
      const alerts = await alertsOf(board.id);
      for (const [at, tile] of tiles.entries()) {
        const alert = alerts.find(({ id }) => id === tile.alertId) ?? null;
        tile.showAlert(alert);
        const own = board.tiles[at];
        // Who edits the board is asked about the alert as it is now.
        if (own?.alert && alert) own.alert = { ...own.alert, ...alert };
      }
    };
    // The gateway checks them as often. What fails is tried again.
    looking = window.setInterval(() => void look().catch(() => {}), alertMs);
  }
  for (const media of ['(prefers-color-scheme: dark)', 'print'])
    matchMedia(media).addEventListener('change', redraw, { signal });
}

/** Names the board in the address as it is called now, unless it was opened by its ID. */
function moveTo({ id, name }: Pick<Board, 'id' | 'name'>): void {
  const address = new URL(location.href);
  if (address.pathname.endsWith(`/${id}`)) return;
  address.pathname = address.pathname.replace(/[^/]*$/, name);
  if (address.href !== location.href) history.replaceState(history.state, '', address);
}

type Found = { board: Board; permissions: string[] };
const asJson = { headers: { Accept: 'application/json' } };
const ended =
  'This link does not work: it was revoked, has expired, or is not complete. Ask whoever sent it for another.';

// The key of a link ends with its board, and finds it by the names that it keeps.
const notOfLink =
  'The address of this link is not that of its board, or was too many changes ago. Ask whoever sent it for another.';
const noBoard = (name: string) =>
  `There is no board “${name}” in this workspace: it was deleted, its address was changed, or there never was one.`;

/** What the key of the link shows. It may ask nothing else. */
async function boardOfLink(name: string): Promise<Found | null> {
  const response = await request(`run/boards/${encodeURIComponent(name)}`, asJson);
  if (response?.status === 401) throw new Error(ended);
  if (response?.status === 404) throw new Error(notOfLink);
  if (!response?.ok) throw new Error(`The board could not be read (${response?.status}): try again later.`);
  // A gateway before the upgrade says neither.
  return { board: { id: name, name, ...((await response.json()) as Omit<Board, 'id' | 'name'>) }, permissions: [] };
}

async function boardOfWorkspace(name: string): Promise<Found | null> {
  type Answer = { viewer: { permissions: string[] } | null; dashboards: { nodes: Board[] } };
  const read = (one: string) => ask<Answer>(query, { names: [one], ids: [one] });
  let answer = await read(name);
  if (answer && !answer.dashboards.nodes[0]) {
    const formerly = await request(`run/boards/${encodeURIComponent(name)}`, asJson);
    if (formerly?.ok) answer = await read(((await formerly.json()) as Board).name);
  }
  if (!answer) return null;
  const [board] = answer.dashboards.nodes;
  if (!board) throw new Error(noBoard(name));
  return { board, permissions: answer.viewer?.permissions ?? [] };
}

/** The states of the alerts of a board. */
async function alertsOf(id: string): Promise<AlertState[]> {
  type Answer = { dashboard: { tiles: { alert: AlertState | null }[] } };
  const board = isByLink ? (await boardOfLink(id))?.board : (await ask<Answer>(alertsQuery, { id }))?.dashboard;
  return board?.tiles.flatMap(({ alert }) => alert ?? []) ?? [];
}

const given = (name: string): string | null => new URLSearchParams(location.search).get(name) || null;

function spanChoices(last: string | null): [string, string][] {
  const known = spans.find(([span]) => span === last)?.[1] ?? (last ? `Last ${last}` : 'As saved');
  const chosen = given('last');
  const others = spans.filter(([span]) => span !== last);
  const own: [string, string][] =
    chosen && !others.some(([span]) => span === chosen) ? [[chosen, `Last ${chosen}`]] : [];
  return [['', known], ...others, ...own];
}

function zoneChoices(timeZone: string | null): [string, string][] {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const others = new Set([here, 'UTC', given('timeZone') ?? 'UTC']);
  if (timeZone) others.delete(timeZone);
  return [['', timeZone ?? 'As saved'], ...[...others].map((zone): [string, string] => [zone, zone])];
}

type PageValues = Record<'last' | 'timeZone', string | null>;

/** Opens the operation of a tile in GraphiQL. */
function addressOf({ operation, variables }: Tile, page: PageValues): string | null {
  return operation?.document ? inGraphiql(operation.document, variablesFor(operation.document, variables, page)) : null;
}

/** Opens the rows of a group in the result of a tile. */
async function rowsAddress(groups: GroupRows, group: Group, tile: Tile, page: PageValues): Promise<string> {
  const variables = {
    ...declaredIn(groups.rows, tile.operation?.variables ?? {}),
    ...variablesFor(groups.rows, tile.variables, page),
  };
  const groupsAfter = await cursorBefore(groups, group, (document, cursor) =>
    ask(document, { ...variables, ...cursor }),
  );
  return inGraphiql(groups.rows, { ...variables, ...(groups.keys && { groupsAfter }) });
}

/** The result of a tile's operation as it is now. */
const resultOf = (
  { operation, operationName }: Pick<Tile, 'operation' | 'operationName'>,
  variables: Variables,
  page: PageValues,
): Promise<Result> =>
  runSaved(operationName ?? '', variablesFor(operation?.document ?? '', variables, page)).catch(
    ({ message }: Error) => ({ errors: [{ message }] }),
  );

/** The variables that a document declares: those of the page, and the given ones, which take precedence. */
function variablesFor(document: string, given: Record<string, unknown>, page: PageValues): Record<string, unknown> {
  const chosen = Object.fromEntries(Object.entries(page).filter(([, value]) => value));
  return declaredIn(document, { ...chosen, ...given });
}

const declaredIn = (document: string, values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => new RegExp(`\\$${name}\\b`).test(document)));

/** In the fragment: browsers never send that to a server. */
const inGraphiql = (query: string, variables: object): string =>
  `${options.root}graphql#${new URLSearchParams({ query, variables: JSON.stringify(variables, null, 2) })}`;

function fullScreenButton(signal: AbortSignal): HTMLElement {
  const button = h(
    'button',
    {
      type: 'button',
      'aria-pressed': 'false',
      onclick: () =>
        void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
    },
    icon('M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5'),
    'Full screen',
  );
  const show = () => {
    const isFull = document.fullscreenElement !== null;
    button.setAttribute('aria-pressed', String(isFull));
    document.body.classList.toggle('full-screen', isFull);
  };
  document.addEventListener('fullscreenchange', show, { signal });
  show();
  return button;
}
