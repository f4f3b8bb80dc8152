import { h } from '../dom.ts';
import { isMutation, titleOf } from '../names.ts';
import type { ChosenChart } from '../spec.ts';
import { field, formOf, formState, openDialog } from './dialog.ts';
import { ask, options } from './page.ts';
import type { Tile } from './tile.ts';
import { contentFields, needsText } from './tile-form.ts';

type Operation = NonNullable<Tile['operation']> & { name: string; document: string; chart: Partial<ChosenChart> };
type Page = { operations: { nodes: Operation[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } };

/** What a page reads of the operation of a tile. */
export const operationFields =
  'document variables description values { path kind additive unit } groupRows { path keys rows }';
const query = `query OperationsForTiles($after: String) {
  operations(first: 100, after: $after, orderBy: { field: name, direction: asc }) {
    nodes { name chart ${operationFields} }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Opens a dialog that makes a tile: a text, or a saved query. Resolves with the tile; null if it was closed without. */
export async function chooseTile(y: number): Promise<Tile | null> {
  const operations = await readOperations();
  const shown = h('select', { id: 'tile-operation' });
  shown.append(
    h('option', { value: '' }, 'A text alone'),
    ...operations.map(({ name, description }) => h('option', { value: name }, description || titleOf(name))),
  );
  const { title, text } = contentFields({ title: '', text: '' });
  const state = formState();
  const hint = h(
    'p',
    { class: 'panel-hint' },
    'Queries are saved in ',
    h('a', { href: `${options.root}graphql` }, 'GraphiQL'),
    ', by Save.',
  );
  return openDialog<Tile>('tile-new', 'Add a tile', (end) => {
    const onsubmit = () => {
      const operation = operations.find(({ name }) => name === shown.value) ?? null;
      if (!operation && !text.value.trim()) state.textContent = needsText;
      else end({ ...tileOf(operation, y), title: title.value.trim(), text: text.value });
    };
    const fields = [field('It shows', shown), field('Title', title), field('Text', text), hint, state];
    return [formOf({ submit: 'Add', onsubmit, end }, fields)];
  });
}

async function readOperations(): Promise<Operation[]> {
  const found: Operation[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const page: Page | null = await ask<Page>(query, { after });
    found.push(...(page?.operations.nodes ?? []));
    after = page?.operations.pageInfo.endCursor ?? null;
    more = page?.operations.pageInfo.hasNextPage === true;
  }
  return found.filter(({ document }) => !isMutation(document));
}

const tileOf = (operation: Operation | null, y: number): Tile => ({
  operation,
  operationName: operation?.name ?? null,
  title: '',
  text: '',
  variables: {},
  chart: operation && chartOf(operation.chart),
  alert: null,
  x: 0,
  y,
  width: operation ? 6 : 12,
  height: operation ? 4 : 1,
});

/** The chart that the operation is saved with, if it is one that tiles draw. */
function chartOf({ type, data = null, x = null, y = null, y2 = null, split = null }: Partial<ChosenChart>) {
  return type ? { type, data, x, y, y2, split } : null;
}
