import type { ChosenChart } from './charts/spec.ts';
import { h } from './dom.ts';
import { nameOf, post, type Tab, variablesOf } from './editor.ts';
import { type Failure, linesOf } from './failure.ts';
import { isMutation, kebab, titleOf } from './names.ts';
import type { Panel } from './panel.ts';
import { type SavedTile, tileFields, tileInput } from './tile-input.ts';

type Board = { id: string; name: string; title: string; updatedAt: string; tiles: SavedTile[] };
type Boards = { dashboards: { nodes: Board[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } };
type Answer = { data?: Record<string, never> | null; errors?: Failure[] };

export const boardsQuery = `query BoardsToSaveOn($after: String) {
  dashboards(first: 100, after: $after, orderBy: { field: title, direction: asc }) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id name title updatedAt
      tiles { ${tileFields()} }
    }
  }
}`;
const savedQuery = `query SavedBefore($name: String!) { operations(first: 1, filter: { names: [$name] }) { nodes { id } } }`;
const createOperation =
  'mutation SaveOperation($input: CreateOperationInput!) { createOperation(input: $input) { operation { name } } }';
const updateOperation =
  'mutation SaveOperationAgain($input: UpdateOperationInput!) { updateOperation(input: $input) { operation { name } } }';
const createDashboard =
  'mutation SaveOnNewBoard($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { name title } } }';
const updateDashboard =
  'mutation SaveOnBoard($input: UpdateDashboardInput!) { updateDashboard(input: $input) { dashboard { name title } } }';

const [noBoard, newBoard] = ['', '+'];

/** Saves the open operation in the workspace, with the chart that is drawn of it, and puts it on a board. */
export function savePanel(chartOf: (tab: Tab) => ChosenChart | null): Panel {
  let tab: Tab | undefined;
  let boards: Board[] = [];
  /** What the name was derived from, until somebody edits it. */
  let suggested = '';
  let replaces = '';
  let isSaving = false;
  const name = h('input', {
    id: 'save-name',
    required: true,
    pattern: '[a-z][a-z0-9\\-]*',
    maxlength: '100',
    autocomplete: 'off',
  });
  const title = h('input', { id: 'save-title', maxlength: '200', autocomplete: 'off' });
  const board = h('select', { id: 'save-board', onchange: showTitle });
  const boardTitle = h('input', { id: 'save-board-title', maxlength: '200', autocomplete: 'off' });
  const ofNew = h(
    'p',
    { class: 'panel-field', hidden: true },
    h('label', { for: 'save-board-title' }, 'Title of the board'),
    boardTitle,
  );
  const button = h('button', { type: 'submit', class: 'graphiql-button panel-button' }, 'Save');
  const state = h('div', { class: 'panel-part', role: 'status' });
  const form = h(
    'form',
    {
      class: 'panel-part',
      onsubmit: (event: Event) => {
        event.preventDefault();
        // A disabled button would lose the focus.
        if (isSaving) return;
        isSaving = true;
        void save()
          .catch((error: Error) => tell(error.message))
          .finally(() => {
            isSaving = false;
          });
      },
    },
    field('Name', name, 'a-z, 0-9 and -. It is part of addresses.'),
    field('Title', title),
    field('Board', board),
    ofNew,
    button,
  );
  name.addEventListener('input', () => askAgain(''));

  function showTitle(): void {
    ofNew.hidden = board.value !== newBoard;
    boardTitle.required = !ofNew.hidden;
  }

  /** Asks whether an operation of this name may be replaced; with none, it need not be asked. */
  function askAgain(id: string): void {
    replaces = id;
    button.textContent = id ? 'Replace it' : 'Save';
    if (id) tell(`An operation is saved as ${name.value} already.`);
  }

  async function save(): Promise<void> {
    if (!tab?.query?.trim()) return tell('There is no operation to save.');
    const variables = variablesOf(tab);
    if (!variables) return tell('The variables are not a JSON object.');
    const chart = chartOf(tab);
    const operation = {
      document: tab.query,
      description: title.value,
      variables,
      ...(chart && { chart }),
    };
    if (!replaces) {
      const { operations } = await ask<{ operations: { nodes: { id: string }[] } }>(savedQuery, { name: name.value });
      const [before] = operations.nodes;
      if (before) return askAgain(before.id);
      await ask(createOperation, { input: { name: name.value, ...operation } });
    } else await ask(updateOperation, { input: { id: replaces, ...operation } });
    askAgain('');
    const tile = { operation: name.value, title: title.value, chart };
    const saved =
      board.value === noBoard
        ? null
        : await putOnBoard(tile).catch((error: Error) => {
            throw new Error(`The operation is saved, but not on the board: ${error.message}`);
          });
    const where = h('a', { href: `dashboards/${saved?.name}` }, saved?.title ?? '');
    state.replaceChildren(
      h(
        'p',
        {},
        ...(isMutation(tab.query)
          ? ['Saved. A program runs it as ', h('code', {}, `{"documentId": "${name.value}"}`), '.']
          : [
              'Saved. A program gets its result at ',
              h('code', {}, new URL(`run/${name.value}`, location.href).href),
              '.',
            ]),
      ),
      ...(saved ? [h('p', {}, 'It is on the board ', where, '.')] : []),
    );
    await loadBoards(saved?.name);
  }

  /** Adds a tile, unless the board has one of the operation. */
  async function putOnBoard(tile: { operation: string; title: string; chart: ChosenChart | null }) {
    type Saved = { dashboard: Pick<Board, 'name' | 'title'> };
    if (board.value === newBoard) {
      // A title in another script leaves no letter.
      const input = { name: kebab(boardTitle.value) || tile.operation, title: boardTitle.value, tiles: [tile] };
      const made = await ask<{ createDashboard: Saved }>(createDashboard, { input });
      return made.createDashboard.dashboard;
    }
    await loadBoards(board.value);
    const found = boards.find((one) => one.name === board.value);
    if (!found) throw new Error('The board was deleted.');
    if (found.tiles.some(({ operationName }) => operationName === tile.operation)) return found;
    const input = { id: found.id, expectedUpdatedAt: found.updatedAt, tiles: [...found.tiles.map(tileInput), tile] };
    const changed = await ask<{ updateDashboard: Saved }>(updateDashboard, { input });
    return changed.updateDashboard.dashboard;
  }

  async function loadBoards(chosen = noBoard): Promise<void> {
    const found: Board[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { dashboards }: Boards = await ask<Boards>(boardsQuery, { after });
      found.push(...dashboards.nodes);
      after = dashboards.pageInfo.endCursor;
      more = dashboards.pageInfo.hasNextPage;
    }
    boards = found;
    board.replaceChildren(
      h('option', { value: noBoard }, 'None'),
      ...boards.map((one) => h('option', { value: one.name }, one.title)),
      h('option', { value: newBoard }, 'A new board'),
    );
    board.value = chosen;
    showTitle();
  }

  async function ask<Data>(query: string, variables: object): Promise<Data> {
    const { data, errors } = (await post('graphql', tab ?? { headers: null }, { query, variables })) as Answer;
    const [error] = errors ?? [];
    if (error || !data) throw new Error(linesOf(error).join('\n'));
    return data as Data;
  }

  const tell = (text: string) => state.replaceChildren(h('p', { class: 'panel-notes' }, text));

  return {
    id: 'save',
    title: 'Save',
    icon: 'M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6',
    body: h(
      'div',
      { class: 'panel-body' },
      h('p', { class: 'panel-hint' }, 'The workspace keeps the operation with its variables and its chart.'),
      form,
      state,
    ),
    update(changed) {
      const isOther = tab?.headers !== changed.headers;
      tab = changed;
      const suggestion = kebab(nameOf(changed));
      if (suggestion !== suggested) {
        if (name.value === suggested) {
          name.value = suggestion;
          title.value = titleOf(suggestion);
          askAgain('');
          state.replaceChildren();
        }
        suggested = suggestion;
      }
      if (isOther) void loadBoards().catch((error: Error) => tell(error.message));
    },
  };
}

function field(label: string, control: HTMLElement, hint?: string): HTMLElement {
  return h(
    'p',
    { class: 'panel-field' },
    h('label', { for: control.id }, label),
    control,
    hint && h('small', {}, hint),
  );
}
