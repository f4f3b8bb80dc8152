import { h } from '../dom.ts';
import { createBoard } from './create.ts';
import { deletedNotice } from './deleted.ts';
import { field, formOf, formState, openDialog } from './dialog.ts';
import { ask, options } from './page.ts';

type Listed = { name: string; title: string; description: string };
type Page = {
  viewer: { permissions: string[] } | null;
  dashboards: { nodes: Listed[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
};

const query = `query Boards($after: String) {
  viewer { permissions }
  dashboards(first: 100, after: $after, orderBy: { field: title, direction: asc }) {
    nodes { name title description }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Lists the boards of the workspace. */
export async function showList(main: HTMLElement): Promise<void> {
  const boards: Listed[] = [];
  let canCreate = false;
  for (let after: string | null = null, more = true; more; ) {
    const page: Page | null = await ask<Page>(query, { after });
    if (!page) return;
    boards.push(...page.dashboards.nodes);
    canCreate = page.viewer?.permissions.includes('operations.write') === true;
    after = page.dashboards.pageInfo.endCursor;
    more = page.dashboards.pageInfo.hasNextPage;
  }
  const items = boards.map(({ name, title, description }) =>
    h('li', {}, h('a', { href: `${options.root}dashboards/${name}` }, title), description && h('p', {}, description)),
  );
  const hint = h(
    'p',
    { class: 'panel-hint' },
    items.length === 0 && 'There are no boards yet. ',
    'A board shows queries that were saved in ',
    h('a', { href: `${options.root}graphql` }, 'GraphiQL'),
    ', by Save (',
    h('a', { href: `${options.root}docs/dashboards#boards` }, 'Boards'),
    ').',
  );
  const button = h('button', { type: 'button', 'aria-haspopup': 'dialog', onclick: () => void newBoard() });
  button.append('New board');
  const deleted = await deletedNotice();
  main.replaceChildren(
    h('div', { class: 'board-head' }, h('h1', {}, 'Dashboards'), canCreate && button),
    ...(deleted ? [deleted] : []),
    h('ul', { id: 'boards', hidden: items.length === 0 }, ...items),
    hint,
  );
  deleted?.querySelector('button')?.focus();
}

/** Opens a dialog that creates an empty board, and leads to it. */
async function newBoard(): Promise<void> {
  const title = h('input', { id: 'new-title', maxlength: '200', required: true, autocomplete: 'off' });
  const state = formState();
  await openDialog<never>('new-board', 'New board', (end) => {
    let isSent = false;
    const onsubmit = () => {
      if (isSent) return;
      isSent = true;
      createBoard(title.value).then(
        (address) => location.assign(address),
        (error: Error) => {
          isSent = false;
          state.textContent = error.message;
        },
      );
    };
    return [formOf({ submit: 'Create', onsubmit, end }, [field('Title', title), state])];
  });
}
