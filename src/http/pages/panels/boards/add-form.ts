import { chartIn } from '../charts/spec.ts';
import { h } from '../dom.ts';
import { isMutation, titleOf } from '../names.ts';
import { field, formOf, formState, openDialog } from './dialog.ts';
import { ask, options, type Result } from './page.ts';
import type { Tile } from './tile.ts';
import { contentFields, needsText } from './tile-form.ts';
import { type OfBoard, type Variables, variableFields } from './variable-fields.ts';

type Operation = NonNullable<Tile['operation']> & { name: string; document: string; chart: unknown };
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

/** Asks for the result of a tile with variables once. */
export type Run = (tile: Pick<Tile, 'operation' | 'operationName'>, variables: Variables) => Promise<Result>;
type Around = { y: number; ofBoard: OfBoard; run: Run };

/** Opens a dialog that makes a tile: a text, or a saved query. Resolves with null if it was closed without. */
export function chooseTile(operations: Operation[], { y, ofBoard, run }: Around): Promise<Tile | null> {
  const shown = h('select', { id: 'tile-operation' });
  shown.append(
    h('option', { value: '' }, 'A text alone'),
    ...operations.map(({ name, description }) =>
      h('option', { value: name }, description.replace(/\.$/, '') || titleOf(name)),
    ),
  );
  const { title, text } = contentFields({ title: '', text: '' });
  const chosen = () => operations.find(({ name }) => name === shown.value) ?? null;
  const fieldsOf = (operation: Operation | null) => variableFields(operation?.name ?? null, {}, ofBoard);
  let variables = fieldsOf(null);
  shown.addEventListener('change', () => {
    const next = fieldsOf(chosen());
    variables.element.replaceWith(next.element);
    variables = next;
  });
  const state = formState();
  const hint = h(
    'p',
    { class: 'panel-hint' },
    'Queries are saved in ',
    h('a', { href: `${options.root}graphql` }, 'GraphiQL'),
    ', by Save.',
  );
  return openDialog<Tile>('tile-new', 'Add a tile', (end) => {
    const onsubmit = async () => {
      const operation = chosen();
      if (!operation && !text.value.trim()) {
        state.textContent = needsText;
        return;
      }
      const tile = tileOf(operation, y);
      const values = await variables.checked((one) => run(tile, one), state);
      if (values) end({ ...tile, title: title.value.trim(), text: text.value, variables: values });
    };
    const fields = [
      field('It shows', shown),
      variables.element,
      field('Title', title),
      field('Text', text),
      hint,
      state,
    ];
    return [formOf({ submit: 'Add', onsubmit, end }, fields)];
  });
}

/** The saved queries of the workspace. */
export async function readQueries(): Promise<Operation[]> {
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
  chart: operation && chartIn(operation.chart),
  alert: null,
  x: 0,
  y,
  width: operation ? 6 : 12,
  height: operation ? 4 : 1,
});
