import { h } from '../dom.ts';
import { ask, options } from './page.ts';

type Listed = { name: string; title: string; description: string };
type Page = { dashboards: { nodes: Listed[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } };

const query = `query Boards($after: String) {
  dashboards(first: 100, after: $after, orderBy: { field: title, direction: asc }) {
    nodes { name title description }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Lists the boards of the workspace. */
export async function showList(main: HTMLElement): Promise<void> {
  const boards: Listed[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const page: Page | null = await ask<Page>(query, { after });
    if (!page) return;
    boards.push(...page.dashboards.nodes);
    after = page.dashboards.pageInfo.endCursor;
    more = page.dashboards.pageInfo.hasNextPage;
  }
  const items = boards.map(({ name, title, description }) =>
    h('li', {}, h('a', { href: `${options.root}dashboards/${name}` }, title), description && h('p', {}, description)),
  );
  const hint = h(
    'p',
    { class: 'panel-hint' },
    items.length > 0 ? 'To make another: ' : 'There are no boards yet. To make one: ',
    'run a query in ',
    h('a', { href: `${options.root}graphql` }, 'GraphiQL'),
    ', press Save, and choose “A new board” (',
    h('a', { href: `${options.root}docs/dashboards#boards` }, 'Boards'),
    ').',
  );
  main.replaceChildren(
    h('h1', {}, 'Dashboards'),
    h('ul', { id: 'boards', hidden: items.length === 0 }, ...items),
    hint,
  );
}
