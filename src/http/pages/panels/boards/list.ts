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
  const none = h(
    'p',
    {},
    'There are no boards yet: ',
    h('a', { href: `${options.root}docs/dashboards#boards` }, 'createDashboard makes one'),
    '.',
  );
  main.replaceChildren(h('h1', {}, 'Dashboards'), items.length > 0 ? h('ul', { id: 'boards' }, ...items) : none);
}
