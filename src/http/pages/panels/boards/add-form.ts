import { h } from '../dom.ts';
import { chartIn } from '../spec.ts';
import { isMutation, titleOf } from '../texts/names.ts';
import { field, formOf, formState, openDialog } from './dialog.ts';
import { ask, options } from './page.ts';
import type { Tile } from './tile.ts';
import { contentFields, needsText } from './tile-form.ts';

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

/** Opens a dialog that makes a tile: a text, or a saved query. Resolves with null if it was closed without. */
export function chooseTile(operations: Operation[], y: number): Promise<Tile | null> {
  const shown = h('select', { id: 'tile-operation' });
  shown.append(
    h('option', { value: '' }, 'A text alone'),
    ...operations.map(({ name, description }) => h('option', { value: name }, description || titleOf(name))),
  );
  const { title, text } = contentFields({ title: '', text: '' });
  const chosen = () => operations.find(({ name }) => name === shown.value) ?? null;
  const variables = h('textarea', { id: 'tile-variables', maxlength: '2000', rows: '2', spellcheck: 'false' });
  const given = field('Variables, as JSON; what is left out is as saved', variables);
  const showVariables = () => {
    const names = variablesIn(chosen()?.document ?? '');
    given.hidden = names.length === 0;
    variables.value = '';
    variables.placeholder = JSON.stringify(Object.fromEntries(names.map((name) => [name, '…'])));
  };
  shown.addEventListener('change', showVariables);
  showVariables();
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
      const operation = chosen();
      const values = objectIn(variables.value);
      if (!operation && !text.value.trim()) state.textContent = needsText;
      else if (!values) state.textContent = 'The variables are not a JSON object.';
      else end({ ...tileOf(operation, y), title: title.value.trim(), text: text.value, variables: values });
    };
    const fields = [field('It shows', shown), given, field('Title', title), field('Text', text), hint, state];
    return [formOf({ submit: 'Add', onsubmit, end }, fields)];
  });
}

/** The variables that an operation declares, without those that the board sets. */
const variablesIn = (document: string): string[] =>
  [...document.matchAll(/\$(\w+)\s*:/g)].flatMap(([, name = '']) =>
    name === 'last' || name === 'timeZone' ? [] : name,
  );

function objectIn(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json.trim() || '{}');
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
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
